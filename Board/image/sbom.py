# SPDX-License-Identifier: Apache-2.0
"""What is in an image, as SPDX 2.3."""
import hashlib
import json
import os
import re
import time
import uuid

from disk import NAMES
from steps import Failure

# What of the manifest is in no executable of an image: only the authority's server uses it.
ELSEWHERE = {"swift-crypto"}
PINNED = re.compile(r'\.package\(url: "(https://[^"]+/([^"/]+))", exact: "([^"]+)"\)')


def libraries(manifest, swift):
    """The packages in source that are linked into the executables: those of Package.swift, whose text `manifest` is, and Swift's own library of that version."""
    entries = [("swift", "https://github.com/swiftlang/swift", swift)]
    entries += [(name, address, version) for address, name, version in PINNED.findall(manifest) if name not in ELSEWHERE]
    if len(PINNED.findall(manifest)) != manifest.count(".package(url:"):
        raise Failure("Package.swift names a package without an exact version")
    return [{
        "SPDXID": f"SPDXRef-source-{name}", "name": name, "versionInfo": version, "supplier": "NOASSERTION", "downloadLocation": f"git+{address}@{version}",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:swift/{address.removeprefix('https://')}@{version}"}],
    } for name, address, version in entries]


def purl(name, version, architecture):
    escaped = version.replace("%", "%25").replace("+", "%2B").replace(":", "%3A").replace("~", "~")
    return f"pkg:deb/debian/{name.replace('+', '%2B')}@{escaped}?arch={architecture}&distro=debian-13"


def package(fields, comment=None, licence=None):
    name, version, architecture, source, source_version, maintainer = fields[:6]
    result = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "supplier": "Organization: Debian", "originator": f"Person: {maintainer}", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": licence or "NOASSERTION", "copyrightText": "NOASSERTION",
        "sourceInfo": f"built by Debian from: {source} {source_version}",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl(name, version, architecture)}],
    }
    if comment:
        result["comment"] = comment
    return result


def write(board, installed, partial, linked, executables, licences, revision, epoch, path):
    """`linked`: what `libraries` says; `licences`: a folder with the licence of each package that only firmware was taken of."""
    texts = {}
    for name in sorted(os.listdir(licences)) if os.path.isdir(licences) else []:
        with open(f"{licences}/{name}", encoding="utf-8") as file:
            texts[name] = file.read()
    packages = [package(fields) for fields in installed]
    known = {entry["name"] for entry in packages}
    packages += [package(fields, "only some of its files are in the image", f"LicenseRef-{fields[0]}" if fields[0] in texts else None)
                 for fields in partial if fields[0] not in known]
    own = {
        "SPDXID": "SPDXRef-vigil", "name": "vigil", "versionInfo": revision, "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
        "comment": "with the libraries inside that it contains by this list",
    }
    files = []
    for name in sorted(os.listdir(executables)):
        with open(f"{executables}/{name}", "rb") as file:
            content = file.read()
        files.append({
            "SPDXID": f"SPDXRef-file-{name}", "fileName": f"./usr/bin/{name}", "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, content).hexdigest()} for kind in ["sha1", "sha256"]],
        })
    packages.append(own)
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": entry["SPDXID"]} for entry in packages]
    relations += [{"spdxElementId": "SPDXRef-vigil", "relationshipType": "CONTAINS", "relatedSpdxElement": entry["SPDXID"]} for entry in [*linked, *files]]
    body = {"packages": packages + linked, "files": files, "relationships": relations}
    if texts:
        body["hasExtractedLicensingInfos"] = [{"licenseId": f"LicenseRef-{name}", "extractedText": text} for name, text in texts.items()]
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"vigil-{board['name']}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(NAMES, digest)}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "creators": ["Tool: Board/image/build.py"]}, **body,
    }
    with open(path, "w") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")
