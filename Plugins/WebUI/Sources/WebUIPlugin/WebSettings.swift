// SPDX-License-Identifier: Apache-2.0

/// The manifest's settings.
public struct WebSettings: Decodable {
    /// Further names under which the page may be asked for.
    public var names: [String]?
    /// What the head of each page calls the device.
    public var title: String?
}
