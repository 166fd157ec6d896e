// One level from the one above, by a sampler between four texels.
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(1)]] SamplerState bilinear;
[[vk::binding(2)]] RWTexture2DArray<float4> target;

[[vk::push_constant]] cbuffer Push
{
    float2 texel; // of the target, in coordinates of the source
    uint2 size;   // of the target
};

[numthreads(8, 8, 1)]
void MakeLevel(uint3 id : SV_DispatchThreadID)
{
    if (all(id.xy < size)) {
        float2 corner = (float2(id.xy) + 0.5) * texel;
        target[id] = source.SampleLevel(bilinear, float3(corner, id.z), 0);
    }
}
