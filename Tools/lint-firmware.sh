#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks what must hold for the firmware's executable and its sources. Usage: lint-firmware.sh FOLDER-WITH-EXECUTABLES
set -eu

status=0
complain() { echo "lint: $1" >&2; status=1; }

# Full Foundation (with ICU) would add 44 MB to every board.
# shellcheck disable=SC2016  # The dollar signs are part of the mangled names.
if [ -x "$1/vigil" ] && nm "$1/vigil" 2>/dev/null | grep -q '\$s10Foundation\|\$s30FoundationInternationalization'; then
    complain "$1/vigil contains full Foundation; import FoundationEssentials instead"
fi
# shellcheck disable=SC2016
if [ -x "$1/vigil-plugins" ] && nm "$1/vigil-plugins" 2>/dev/null | grep -q '\$s10Foundation\|\$s30FoundationInternationalization'; then
    complain "$1/vigil-plugins contains full Foundation; import FoundationEssentials instead"
fi
# Neither parses arguments or JSON with it: eight megabytes that come in by one careless import or one search for words in a text.
for program in vigil-plugins vigil-zip; do
    if [ -x "$1/$program" ] && nm -D --undefined-only "$1/$program" | grep -q '20FoundationEssentials\|17_StringProcessing'; then
        complain "$1/$program uses FoundationEssentials or the standard library's regular expressions (contains, replacing, firstRange of texts)"
    fi
done
if [ -x "$1/vigil-jail" ] && readelf -d "$1/vigil-jail" | grep -q 'NEEDED.*libswift'; then
    complain "$1/vigil-jail links the Swift runtime; what confines stays small and without threads"
fi
if grep -rnE '^(public |package |internal |private )?import Foundation$' Sources Plugins; then
    complain "import FoundationEssentials instead of Foundation"
fi

# Only the throwaway program knows what a zip is: a fault in libzip must not be a fault of what holds keys.
for program in vigil vigil-plugins; do
    if [ -x "$1/$program" ] && readelf -d "$1/$program" | grep -q 'NEEDED.*libzip'; then
        complain "$1/$program links libzip; key files go through vigil-zip"
    fi
done
if grep -rlE 'import (CZip|KeyArchive)$' Sources Plugins | grep -vE '^Sources/(Authority/Authority|Exposure/KeyArchive|Lab/(Conformance|Benchmarks|ExposureKillTrial|Reality|WarningTrial|SyncKillTrial|VenueKillTrial)|Programs/vigil-(lab|zip))/'; then
    complain "only vigil-zip and vigil-lab may link libzip: through KeyArchive, or in Reality for archives of positions"
fi

# Tables may be used for published keys only: nothing but Matching may link the kernels, and nothing that holds own keys may
# use the quick cipher.
if grep -rln 'import CMatchKernel' Sources | grep -v '^Sources/Exposure/Matching/'; then
    complain "only Matching may import CMatchKernel: its tables are for published keys"
fi
if grep -rln 'PublicKeyAES128' Sources | grep -vE '^Sources/(Base/Cryptography/AES128|Exposure/GAEN/IdentifierKeys|Lab/LabKit/Matching/)'; then
    complain "PublicKeyAES128 is for published keys only"
fi

# Every source says its licence in its first lines.
for file in $(git ls-files '*.swift' '*.c' '*.h' '*.sh'); do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || complain "$file does not name its licence"
done
exit $status
