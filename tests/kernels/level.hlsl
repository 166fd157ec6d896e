// One level from the one above, by a sampler between four texels.
Texture2DArray<float4> source : register(t0);
SamplerState bilinear : register(s0);
RWTexture2DArray<float4> target : register(u0);

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
