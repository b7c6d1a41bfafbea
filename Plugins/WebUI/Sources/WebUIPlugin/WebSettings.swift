// SPDX-License-Identifier: Apache-2.0

/// The settings of the page, as the plugin's `plugin.json` describes them.
public struct WebSettings: Decodable {
    /// Further names under which the page may be asked for, at most 8, each 1 to 64 characters; `nil` for none. Other names are refused,
    /// against DNS rebinding.
    public var names: [String]?
    /// The device's name in the head of each page, 1 to 60 characters; `nil` for the product's name.
    public var title: String?
}
