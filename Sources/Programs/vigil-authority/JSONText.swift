// SPDX-License-Identifier: Apache-2.0

import JSON

/// JSON for scripts, in one line.
func jsonText(_ json: JSON) -> String { String(decoding: json.bytes, as: UTF8.self) }
