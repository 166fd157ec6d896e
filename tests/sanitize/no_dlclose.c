/* Preloaded in sanitizer runs (scripts/test.sh): keeps Vulkan drivers mapped until the end, so
 * that the leak checker sees who still points at their memory, and reports have names. */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
