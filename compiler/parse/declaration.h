// The digest of a kernel.yaml that a plan carries.
#pragma once

#include "compiler/parse/kernel_file.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// All of a kernel and one of its variants that a plan or a stage's values depend on. Not `summary`, `needs` and
// `resources`, nor how the file is laid out: a plan does not become wrong by them.
KernelDeclaration declaration_of(const KernelDecl& kernel, const VariantPlan& variant);

}  // namespace woa
