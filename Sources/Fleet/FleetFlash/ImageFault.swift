// SPDX-License-Identifier: Apache-2.0

import ForeignText
import SystemCalls

/// The reason why an image cannot be put onto cards. It is found before anything is written to any card.
public enum ImageFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The map of blocks does not have the one form that is read; the text says where, in words of this program.
    case badMap(String)
    /// The map's own checksum does not fit: it was changed or cut.
    case mapDamaged
    /// The map is of a form before 2, which has no checksums of SHA-256.
    case oldMap(version: String)
    /// There is no map beside the image; `path` is where it was looked for.
    case noMap(path: String)
    /// The map or the image cannot be read; `number` is the value of `errno`.
    case unreadable(path: String, number: Int32)
    /// The image ends after `found` of `expected` bytes.
    case cut(found: UInt64, expected: UInt64)
    /// The image goes on after the bytes that the map is for.
    case tooLong(expected: UInt64)
    /// The blocks of the image from `block` on are not those that the map is for.
    case otherBlocks(block: UInt64)
    /// The image has content in a block that the map leaves out.
    case unmapped(block: UInt64)
    /// The program `zstd` cannot be started; `number` is the value of `errno`.
    case noUnpacker(number: Int32)
    /// `zstd` could not unpack the image.
    case badCompression
    /// The copy that cards are written from cannot be made in `folder`; `number` is the value of `errno`.
    case noRoom(folder: String, number: Int32)
    /// The image does not have the layout of Vigil's images (docs/image.md); the text says what is wrong.
    case notVigil(String)
    /// A card's folder has more than the boot partition has room for.
    case bootFull

    /// An English sentence for the operator: what is wrong, and what to do. Cannot fail.
    public var description: String {
        switch self {
        case .badMap(let what):
            "The map of blocks (.bmap) cannot be read: \(what). Download it anew, together with the image."
        case .mapDamaged:
            "The map of blocks (.bmap) was changed or cut: its own checksum does not fit. Download it anew."
        case .oldMap(let version):
            "The map of blocks has version \(ForeignText.line(version, limit: 20)); version 2 with SHA-256 is needed. Make it with bmaptool 3 or newer."
        case .noMap(let path):
            "There is no map of blocks at \(ForeignText.line(path)). It belongs to the image and lies beside it in a release; or make it with bmaptool create, or name it with --bmap."
        case .unreadable(let path, let number):
            "Cannot read \(ForeignText.line(path)): \(SystemCall.text(number))."
        case .cut(let found, let expected):
            "The image ends after \(found) of \(expected) bytes: it was cut while it was downloaded or copied, or the map is of another image. Download both anew. No card was touched."
        case .tooLong(let expected):
            "The image has more than the \(expected) bytes that the map is for: the map is of another image. Download both anew. No card was touched."
        case .otherBlocks(let block):
            "The image is not the one that the map is for, or it is damaged: the blocks from \(block) on have another checksum. Download both anew. No card was touched."
        case .unmapped(let block):
            "The image is not the one that the map is for: it has content in block \(block), which the map leaves out. Download both anew. No card was touched."
        case .noUnpacker(let number):
            "Cannot start zstd, which unpacks the image: \(SystemCall.text(number)). Install the package zstd, or unpack the image first."
        case .badCompression:
            "zstd cannot unpack the image: it is damaged or not compressed by zstd. Download it anew. No card was touched."
        case .noRoom(let folder, let number):
            "Cannot unpack the image in \(ForeignText.line(folder)): \(SystemCall.text(number)). Make room there, or name another folder with --scratch."
        case .notVigil(let what):
            "This is no image of Vigil: \(what). Give an image that make image or a release has made (docs/image.md). No card was touched."
        case .bootFull:
            "The image's boot partition has no room for a board's folder. Build the image with a larger boot partition."
        }
    }
}
