// The digest of a kernel.yaml that a plan carries.
#pragma once

#include "compiler/parse/kernel_file.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// Everything in a kernel and one of its variants that a plan or a stage's values depend on. `summary`, `needs`,
// `resources` and the file's layout are left out: they cannot make a plan wrong.
KernelDeclaration declaration_of(const KernelDecl& kernel, const VariantPlan& variant);

}  // namespace woa
