/* Does nothing, to measure the cost of a dispatch itself. Workgroups may have any shape. */
#version 460

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

void main()
{
}
