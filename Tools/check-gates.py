#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses Swift that makes text of bytes with `String(validating:)`, but in the files named here: foreign bytes become text by `StreamSafe.decode`,
which refuses endless combining marks (docs/decisions/0070-text-that-costs-its-length.md).

Usage: check-gates.py     Exit status: 1 if a file does it that is not named here, or one is named that does it no more.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each with the reason why it may.
MAY = {
    "Sources/Base/ForeignText/StreamSafe.swift": "it is the gate",
    "Sources/Base/JSON/JSONParser.swift": "asks StreamSafe itself, to tell two errors apart",
    "Sources/Base/Cryptography/Base64URL.swift": "ASCII, by its own check before",
    "Sources/Base/Enrolment/Names.swift": "a name of a certificate, a board's name afterwards, which is ASCII",
    "Sources/Base/WiFi/WiFiNetwork.swift": "of the card's owner, 4 KiB at most",
    "Sources/IPC/Varlink/InterfaceScanner.swift": "comments, which nobody compares",
    "Sources/Programs/vigil/BoardCommand+DeviceFile.swift": "names of files of the card's owner",
    "Sources/Fleet/FleetCard/FleetTable.swift": "of the operator",
    "Sources/Fleet/FleetCard/EnrolmentPlace.swift": "of the operator",
    "Sources/Daemons/Socks/SocksServer.swift": "255 bytes at most",
    "Sources/Daemons/ControlTool/ControlSession+Configuration.swift": "of the operator, handed on in JSON",
    "Sources/Daemons/Sandbox/SandboxReport+Parsing.swift": "of vigil-jail, before it becomes another program",
    "Sources/Daemons/PluginTool/OpenFile.swift": "names of the kernel",
    "Sources/Exposure/Ledger/LedgerBytes.swift": "sealed by the core",
    "Sources/Exposure/CrowdNotifier/HiddenContent.swift": "255 bytes at most",
    "Sources/Authority/FleetRegistry/RegistryHTTP.swift": "300 bytes at most",
    "Sources/Authority/SecurityToken/TokenURI.swift": "of the operator",
    "Plugins/Venue/Sources/VenuePlan/BroadcastCode.swift": "some hundred bytes at most",
    "Plugins/Sync/Sources/SyncPlan/SyncEngine+Run.swift": "handed on in JSON",
    "Plugins/Sync/Sources/SyncPlan/SyncEngine+FleetConfiguration.swift": "handed on in JSON",
    "Plugins/WebUI/Sources/WebPages/TextCatalog+Parsing.swift": "the program's own texts",
}


def main():
    found = {str(file.relative_to(ROOT)) for folder in ("Sources", "Plugins") for file in (ROOT / folder).rglob("*.swift")
             if "Sources/Lab/" not in str(file) and "String(validating:" in file.read_text()}
    for name in sorted(found - MAY.keys()):
        print(f"{name}: it makes text of bytes with String(validating:). Take StreamSafe.decode of ForeignText, or name the file in Tools/check-gates.py with the reason")
    for name in sorted(MAY.keys() - found):
        print(f"Tools/check-gates.py: {name} makes no text of bytes any more; take its line out")
    return 1 if found != MAY.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
