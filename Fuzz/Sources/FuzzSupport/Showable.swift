// SPDX-License-Identifier: Apache-2.0

/// Whether a refusal can be shown as it is: one line that ends.
public func isShowable(_ text: String) -> Bool {
    text.utf8.count < 1_000 && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
}
