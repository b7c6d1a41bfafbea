// SPDX-License-Identifier: Apache-2.0

/// The few drawings of the pages, on 24 by 24, in the colour of the text beside them. They never stand alone: a word is always with them.
enum Icon: String, CaseIterable, Sendable {
    case check, warning, question, pause, clock, stop, bell, house, history, test, settings, help, radio, list, person,
        arrow, lock
    case phone, info, download

    private var paths: [String] {
        switch self {
        case .check: ["M5 12.5l4.5 4.5L19 7.5"]
        case .warning: ["M12 3.5L21.5 20h-19z", "M12 10v4.5", "M12 17.2v.3"]
        case .question:
            ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M9.3 9.6a2.8 2.8 0 1 1 4 2.6c-.9.4-1.3 1-1.3 1.9", "M12 16.8v.2"]
        case .pause: ["M9 6v12", "M15 6v12"]
        case .clock: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 7v5l3.5 2"]
        case .stop: ["M8 3h8l5 5v8l-5 5H8l-5-5V8z", "M8 12h8"]
        case .bell: ["M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15z", "M10.5 21h3"]
        case .house: ["M4 11.5L12 4l8 7.5", "M6.5 10v9.5h11V10"]
        case .history: ["M5 20V12", "M10 20V6", "M15 20v-6", "M20 20V9"]
        case .test: ["M9 3h6", "M10 3v7l-4.5 8.2A1.8 1.8 0 0 0 7 21h10a1.8 1.8 0 0 0 1.5-2.8L14 10V3", "M8 15h8"]
        case .settings: ["M4 8h9", "M17 8h3", "M15 6v4", "M4 16h3", "M11 16h9", "M9 14v4"]
        case .help: ["M4 5h16v11H9l-5 4z", "M8 9h8", "M8 12h5"]
        case .radio: ["M12 13v8", "M12 12.9v.2", "M8.5 15.5a5 5 0 1 1 7 0", "M6 18.5a9 9 0 1 1 12 0"]
        case .list: ["M9 6h11", "M9 12h11", "M9 18h11", "M4.5 6h.1", "M4.5 12h.1", "M4.5 18h.1"]
        case .person: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4.5 20.5a7.5 7.5 0 0 1 15 0"]
        case .arrow: ["M5 12h14", "M13 6l6 6-6 6"]
        case .lock: ["M6 11h12v9H6z", "M8.5 11V8a3.5 3.5 0 0 1 7 0v3"]
        case .phone:
            ["M6 3h4l1.5 5-2.5 1.5a11 11 0 0 0 5.500 5.5L16 12.500l5 1.500v4a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z"]
        case .info: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 11v5.5", "M12 7.600v.2"]
        case .download: ["M12 4v11", "M7.500 11l4.500 4.500 4.500-4.500", "M5 20h14"]
        }
    }

    /// Silent for voices.
    var html: HTML {
        el(.svg, .class("icon"), .viewBox(24, 24), .ariaHidden, .notFocusable) {
            paths.map { el(.path, .shape(.d, $0)) }
        }
    }
}
