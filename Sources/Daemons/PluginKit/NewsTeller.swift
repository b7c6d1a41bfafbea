// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Tells the core whether there is something that a person should look at, and when to remind of something, for boards with a light (`org.vigil.indicator1`).
///
/// The core keeps what it was told last. Two calls under way at the same time may arrive in either order, so there is never more than one. Used only on
/// the host's loop.
public final class NewsTeller {
    private unowned let host: PluginHost
    private let hasNews: () -> Bool
    private let reminders: () -> [Indicator1.Reminder]
    private var isTelling = false
    private var tellsAgain = false

    /// Creates a teller, which tells nothing yet. Cannot fail.
    ///
    /// - Parameters:
    ///   - host: The host to call through, which must outlive the teller. Without the grant `indicator1.SayNews` nothing is
    ///     told, which is no error: the board may have no light.
    ///   - reminders: Returns when the person is to be reminded of something, at most eight times; asked likewise.
    ///   - hasNews: Returns whether there is something to look at; asked on the loop right before each call.
    public init(
        _ host: PluginHost, reminders: @escaping () -> [Indicator1.Reminder] = { [] }, hasNews: @escaping () -> Bool
    ) {
        self.host = host
        self.reminders = reminders
        self.hasNews = hasNews
    }

    /// Calls the core now or, if a call is under way, once that has ended: several requests meanwhile become one call. Does
    /// nothing while the host stops. Whether it has arrived is not known; call it again at each start.
    public func tell() {
        guard !host.isStopping else { return }
        guard !isTelling else {
            tellsAgain = true
            return
        }
        isTelling = true
        tellsAgain = false
        let times = reminders()
        let words = Indicator1.NewsCall(news: hasNews(), reminders: times.isEmpty ? nil : times)
        host.call(Indicator1.Method.sayNews, words, as: NoFields.self) { [weak self] _ in
            guard let self else { return }
            isTelling = false
            if tellsAgain { tell() }
        }
    }
}
