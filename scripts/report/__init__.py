"""Draws what mipbench measured: report.py's page and plot.py's pictures, from the same code."""
