#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the AES for own keys under valgrind with key and data marked as secret, at every optimisation level that could introduce a
# branch; and a table look-up, which must be caught. Then the same for an encryption to an identity, in Swift as it is released.
set -eu

folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-ct.XXXXXX")
trap 'rm -rf "$folder"' EXIT INT TERM
passed=0
failed=0
count() { if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $3" >&2; fi; }

for level in -O0 -O1 -O2 -O3 -Os; do
    # DWARF 4: valgrind 3.19 cannot read what clang writes by default.
    clang -gdwarf-4 "$level" -ISources/C/CConstantTime/include Tests/Support/ConstantTimeC/secret_independence.c \
        Sources/C/CConstantTime/aes.c -o "$folder/program"
    status=0
    valgrind -q --error-exitcode=9 "$folder/program" >/dev/null 2>"$folder/errors" || status=$?
    count "$status" 0 "AES at $level: $(head -n 3 "$folder/errors")"
    status=0
    valgrind -q --error-exitcode=9 "$folder/program" control >/dev/null 2>&1 || status=$?
    count "$status" 9 "a table look-up at $level was not noticed"
done

# A package of its own, with the targets of the tree that it needs, and marks for valgrind.
sources=$PWD/Sources
package=$folder/package
mkdir -p "$package/Sources/SecretMarks/include" "$package/Sources/encryption"
for target in C/CConstantTime C/CMbedTLS Base/CodedError Base/CivilTime Base/Cryptography Base/BLS12381; do
    ln -s "$sources/$target" "$package/Sources/${target#*/}"
done
cp Tests/Support/ConstantTimeC/encryption.swift "$package/Sources/encryption/main.swift"
cat >"$package/Sources/SecretMarks/include/SecretMarks.h" <<'END'
#include <stddef.h>
#include <valgrind/memcheck.h>
static inline void mark_secret(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }
static inline void mark_public(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_DEFINED(bytes, count); }
END
echo '#include "SecretMarks.h"' >"$package/Sources/SecretMarks/marks.c"
# The name is the tree's, because the seed of an encryption is given by `package` functions only.
cat >"$package/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map { SwiftSetting.enableUpcomingFeature($0) }
let package = Package(
    name: "vigil",
    targets: [
        .target(name: "CConstantTime"), .systemLibrary(name: "CMbedTLS"), .target(name: "SecretMarks"),
        .target(name: "CodedError", swiftSettings: features), .target(name: "CivilTime", swiftSettings: features),
        .target(
            name: "Cryptography", dependencies: ["CConstantTime", "CivilTime", "CMbedTLS", "CodedError"], swiftSettings: features),
        .target(name: "BLS12381", dependencies: ["CodedError", "Cryptography"], swiftSettings: features),
        .executableTarget(name: "encryption", dependencies: ["BLS12381", "Cryptography", "SecretMarks"], swiftSettings: features),
    ], swiftLanguageModes: [.v6], cLanguageStandard: .c11)
END
# Whether a digest is one of the two numbers that no point belongs to, which nobody will see, is asked openly.
cat >"$folder/suppressions" <<'END'
{
   G1.map
   Memcheck:Cond
   fun:*BLS12381*G1V3map*
}
END
"${SWIFT:-swift}" build --package-path "$package" -c release >"$folder/build" 2>&1 || { cat "$folder/build" >&2; exit 1; }
# valgrind cannot read what the compiler says for debuggers.
strip -g "$package/.build/release/encryption"
status=0
valgrind -q --error-exitcode=9 --suppressions="$folder/suppressions" "$package/.build/release/encryption" \
    >/dev/null 2>"$folder/errors" || status=$?
count "$status" 0 "encryption: $(head -n 3 "$folder/errors")"
status=0
valgrind -q --error-exitcode=9 --suppressions="$folder/suppressions" "$package/.build/release/encryption" control \
    >/dev/null 2>&1 || status=$?
count "$status" 9 "a branch on the seed was not noticed"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
