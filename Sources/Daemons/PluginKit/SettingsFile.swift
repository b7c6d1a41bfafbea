// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON

/// `settings.json` in the run folder: checked by the supervisor, with the manifest's defaults filled in.
enum SettingsFile {
    private static let name = "settings.json"
    private static let mostBytes = 131_072

    /// The settings as the plugin's type. Without a run folder or a file there are none, which suits a type that needs none.
    static func read<Settings: Decodable>(
        _ run: String?, as type: Settings.Type = Settings.self
    ) throws(StartError) -> Settings {
        var json = JSON.empty
        if let run, let found = try self.json("\(run)/\(name)") { json = found }
        do throws(JSONError) { return try json.decode(type) } catch {
            throw StartError(
                .badSettings,
                "\(name) does not fit the plugin's settings type: \(error). Compare the type with the manifest's settings")
        }
    }

    private static func json(_ path: String) throws(StartError) -> JSON? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StartError(.badSettings, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        guard count <= mostBytes else { throw StartError(.badSettings, "\(path) is too long") }
        do throws(JSONError) { return try JSON(parsing: bytes[..<count]) } catch {
            throw StartError(.badSettings, "\(path) cannot be read: \(error)")
        }
    }
}
