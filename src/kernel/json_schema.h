/* The JSON schema of manifests, made of their tables. */
#pragma once

#include "base/json.h"

/* Fill in the root, which is an object. */
void mb_kernel_schema(struct mb_json *json);
