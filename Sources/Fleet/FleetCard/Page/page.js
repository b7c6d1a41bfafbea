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
        label.append(input, " ", title + (authority.isLocal ? ` ${say("local")}` : ""));
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
}

/** Which question a fault belongs to, and where to go on. */
const PLACES = {
    use: ["noUse"], authority: ["noAuthority"], title: ["badTitle"],
    technician: ["privateKey", "otherKeyForm", "manyKeys", "keyOptions", "unknownKeyKind", "badKey", "damagedKey", "shortKey", "noKey"],
};

function tell(fault) {
    const place = Object.keys(PLACES).find((name) => PLACES[name].includes(fault.code)) ?? "network";
    element(`${place}-error`).textContent = filled(say("faults")[fault.code], fault.quoted);
    element(`${place}-error`).setAttribute("role", "alert");
    element(place).querySelector("input:checked, input, textarea").focus();
    element(place).scrollIntoView({ block: "center" });
}

function answers() {
    const value = (name) => document.querySelector(`input[name=${name}]:checked`)?.value;
    const use = value("use");
    if (use === undefined) throw new Fault("noUse");
    const words = value("way") === "automatic" ? "automatic" : ["own", "gateway", "servers"].map((id) => element(id).value.trim()).join(" ");
    network(trimmed(words));
    if (value("authority") === undefined) throw new Fault("noAuthority");
    const technician = element("keys").value.trim();
    return {
        use, language: element("language").value, network: words, authority: DATA.authorities[Number(value("authority"))],
        technician: technician === "" ? "none" : technician, title: element("name").value.trim() === "" ? null : element("name").value.trim(),
    };
}

function show() {
    element("result-heading").textContent = filled(say("result"), card.serial);
    element("label-serial").textContent = card.serial;
    element("label-title").textContent = card.title ?? "";
    element("label-page").textContent = `https://${card.page ?? "ADDRESS:8443"}`;
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

element("form").addEventListener("submit", (event) => {
    event.preventDefault();
    for (const place of document.querySelectorAll(".error")) place.textContent = "";
    try {
        const given = answers();
        card = { ...makeCard(given, randomByte), use: given.use, title: given.title, notes: given.authority.notes };
    } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        tell(fault);
        return;
    }
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
    if (!isSaved && !window.confirm(say("leave"))) return;
    URL.revokeObjectURL(element("save").href);
    element("save").removeAttribute("href");
    card = null;
    for (const id of ["label-code", "label-serial", "label-page", "label-title"]) element(id).textContent = "";
    element("result").hidden = true;
    element("form").hidden = false;
    // A second board of a fixed address would be in the first one's way.
    element("own").value = "";
    element("name").value = "";
    window.scrollTo(0, 0);
});
window.addEventListener("beforeunload", (event) => { if (card !== null && !isSaved) event.preventDefault(); });
for (const input of document.querySelectorAll("input[name=way]")) {
    input.addEventListener("change", () => { element("addresses").hidden = input.value === "automatic" || !input.checked; });
}
element("speech").addEventListener("change", () => { speech = element("speech").value; translate(); });

const wished = (navigator.languages ?? []).map((language) => language.slice(0, 2)).find((language) => Object.hasOwn(TEXTS, language));
speech = wished ?? "en";
element("speech").value = speech;
element("language").value = speech;
translate();
