// SPDX-License-Identifier: Apache-2.0
// The page around the rules of card.js: asks, shows faults beside their questions, gives the folder as a ZIP file.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
let speech = "en";
let card = null;
let isSaved = false;
const say = (key) => TEXTS[speech][key];
const filled = (text, quoted) => text.replace("{}", () => quoted);

function randomByte() {
    return crypto.getRandomValues(new Uint8Array(1))[0];
}

function authorityRows() {
    const place = element("authorities");
    const chosen = document.querySelector("input[name=authority]:checked")?.value;
    place.replaceChildren(...DATA.authorities.map((authority, index) => {
        const row = document.createElement("p");
        const label = document.createElement("label");
        const input = document.createElement("input");
        Object.assign(input, { type: "radio", name: "authority", value: String(index), checked: chosen === String(index) });
        const title = authority.file === null ? say("none") : (authority.title[speech] ?? authority.title.en ?? authority.name);
        const text = document.createElement("span");
        text.textContent = [title, authority.isLocal ? say("local") : "", authority.isExample ? say("example") : ""].filter((part) => part !== "").join(". ");
        label.append(input, text);
        row.append(label);
        return row;
    }));
}

function translate() {
    document.documentElement.lang = speech;
    for (const place of document.querySelectorAll("[data-text]")) place.textContent = say(place.dataset.text);
    document.title = say("heading");
    authorityRows();
    if (card !== null) show();
    tell();
}

/** Which question a fault belongs to; all others are of the network. */
const PLACES = {
    use: ["noUse"], authority: ["noAuthority"], title: ["badTitle"],
    wifi: ["noWiFiName", "longWiFiName", "badWiFiName", "noWiFiPassword", "badWiFiPassword", "wifiPasswordLength", "noCountry"],
    technician: ["privateKey", "otherKeyForm", "manyKeys", "keyOptions", "unknownKeyKind", "badKey", "damagedKey", "shortKey", "noKey"],
};
const GATEWAY = ["noGateway", "ownGateway", "farGateway"];
const SERVERS = ["noNameServer", "manyNameServers", "doubleNameServer"];
let faults = [];

const placeOf = (fault) => Object.keys(PLACES).find((name) => PLACES[name].includes(fault.code)) ?? "network";

/** The sentence of each fault, beside its question. */
function tell() {
    for (const place of document.querySelectorAll(".error")) place.textContent = "";
    for (const fault of faults) element(`${placeOf(fault)}-error`).textContent = filled(say("faults")[fault.code], fault.quoted);
}

/** Where somebody goes on who has to mend it. */
function fieldOf(fault) {
    const place = placeOf(fault);
    if (place === "wifi") return element(fault.code === "noCountry" ? "wifi-country" : fault.code.toLowerCase().includes("password") ? "wifi-password" : "wifi-name");
    if (place !== "network" || fault.code === "empty") return element(place).querySelector("input:checked, input, textarea");
    if (GATEWAY.includes(fault.code)) return element("gateway");
    if (SERVERS.includes(fault.code)) return element("servers");
    return element(["gateway", "servers"].find((id) => fault.quoted !== "" && element(id).value.split(" ").includes(fault.quoted)) ?? "own");
}

/** The addresses as vigil-fleet takes them; the ways in which other systems show them are understood as well. */
function addresses() {
    const blank = (id) => element(id).value.replace(/[,;\s]+/g, " ").trim();
    const own = blank("own").replace(/^(\S+?) ?\/ ?(\S+)$/, "$1/$2").replace(/^([^ /]+) (\S+)$/, "$1/$2");
    const [address, size] = own.split("/");
    const length = size === undefined ? null : maskLength(size);
    return [length === null ? own : `${address}/${length}`, blank("gateway").replace(/\/[0-9]+$/, ""), blank("servers")].join(" ");
}

/** The answers; `null` when something is wrong with one of them, which is then in `faults`. */
function answers() {
    faults = [];
    const value = (name) => document.querySelector(`input[name=${name}]:checked`)?.value;
    const asked = (ask) => {
        try {
            return ask();
        } catch (fault) {
            if (!(fault instanceof Fault)) throw fault;
            faults.push(fault);
            return null;
        }
    };
    const required = (name, code) => asked(() => { if (value(name) === undefined) throw new Fault(code); return value(name); });
    const use = required("use", "noUse");
    const words = value("way") === "automatic" ? "automatic" : addresses();
    asked(() => network(trimmed(words)));
    const wireless = {
        name: element("wifi-name").value, password: element("wifi-password").value, country: upperCountry(element("wifi-country").value),
        hidden: element("wifi-hidden").checked,
    };
    const isWireless = [wireless.name, wireless.password, wireless.country].some((text) => text.trim() !== "");
    asked(() => { if (isWireless) wifi(wireless, use); });
    const authority = required("authority", "noAuthority");
    const technician = element("keys").value.trim();
    asked(() => { if (technician !== "") keys(technician); });
    const title = element("name").value.trim();
    asked(() => { if (title !== "") checkTitle(title); });
    if (faults.length > 0) return null;
    return {
        use, language: element("language").value, network: words, authority: DATA.authorities[Number(authority)],
        technician: technician === "" ? "none" : technician, title: title === "" ? null : title, wifi: isWireless ? wireless : null,
    };
}

function show() {
    element("result-heading").textContent = filled(say("result"), card.serial);
    element("label-serial").textContent = card.serial;
    element("label-title").textContent = card.title ?? "";
    element("label-page").textContent = `https://${card.page}`;
    element("label-code").textContent = card.code;
    element("label-use").textContent = say(card.use === "person" ? "wearer" : "technicianRole");
    const notes = element("notes");
    notes.replaceChildren();
    for (const note of card.notes) {
        const row = document.createElement("p");
        row.lang = "en";
        row.textContent = `${say("notes")}: ${note}`;
        notes.append(row);
    }
}

function showPassword() {
    element("wifi-password").type = element("wifi-show").checked ? "text" : "password";
}

element("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = answers();
    tell();
    if (given === null) {
        for (const fault of faults) element(`${placeOf(fault)}-error`).setAttribute("role", "alert");
        fieldOf(faults[0]).focus();
        element(placeOf(faults[0])).scrollIntoView({ block: "center" });
        return;
    }
    card = { ...makeCard(given, randomByte), use: given.use, title: given.title, notes: given.authority.notes };
    isSaved = false;
    const link = element("save");
    link.href = URL.createObjectURL(new Blob([zip(card.serial, card.files)], { type: "application/zip" }));
    link.download = `${card.serial}.zip`;
    show();
    element("form").hidden = true;
    element("result").hidden = false;
    element("result").focus();
});

element("save").addEventListener("click", () => { isSaved = true; });
element("print").addEventListener("click", () => window.print());
element("again").addEventListener("click", () => {
    if (!window.confirm(say("leave"))) return;
    URL.revokeObjectURL(element("save").href);
    element("save").removeAttribute("href");
    card = null;
    for (const id of ["label-code", "label-serial", "label-page", "label-title"]) element(id).textContent = "";
    element("result").hidden = true;
    element("form").hidden = false;
    // The next device is for something else, perhaps; and two of one address are in each other's way.
    for (const input of document.querySelectorAll("input[name=use]")) input.checked = false;
    // And a password is not to lie open for whoever comes next.
    for (const id of ["own", "name", "wifi-name", "wifi-password", "wifi-country"]) element(id).value = "";
    for (const id of ["wifi-hidden", "wifi-show"]) element(id).checked = false;
    showPassword();
    window.scrollTo(0, 0);
});
window.addEventListener("beforeunload", (event) => { if (card !== null && !isSaved) event.preventDefault(); });
for (const input of document.querySelectorAll("input[name=way]")) {
    input.addEventListener("change", () => { element("addresses").hidden = input.value === "automatic" || !input.checked; });
}
element("wifi-show").addEventListener("change", showPassword);
element("speech").addEventListener("change", () => { speech = element("speech").value; translate(); });

const wished = (navigator.languages ?? []).map((language) => language.slice(0, 2)).find((language) => Object.hasOwn(TEXTS, language));
speech = wished ?? "en";
element("speech").value = speech;
element("language").value = speech;
translate();
