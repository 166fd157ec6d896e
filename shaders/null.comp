/* Nothing: what a dispatch costs of itself. */
#version 460

layout(local_size_x_id = 0) in;

void main()
{
}
