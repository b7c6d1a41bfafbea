// SPDX-License-Identifier: Apache-2.0

/// The settings of the web page, which the plugin's `plugin.json` describes.
public struct WebSettings: Decodable {
    /// The host names under which the page is served besides those of its address, at most 8 of 1 to 64 characters,
    /// which `plugin.json` checks; `nil` for none. Requests for other names are refused, against DNS rebinding.
    public var names: [String]?
    /// The device's name in the head of each page, 1 to 60 characters, which `plugin.json` checks; `nil` for the
    /// product's name.
    public var title: String?
}
