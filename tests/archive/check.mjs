// node check.mjs FILE...: warcio.js reads every record; lengths and digests,
// computed again, are those of the record.
import crypto from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { verdict } from "./browser.mjs";

const { WARCParser } =
    await import(pathToFileURL(`${process.env.MODULES}/warcio/dist/index.js`).href);

function base32(bytes) {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    const bits = [...bytes].map(byte => byte.toString(2).padStart(8, "0")).join("");
    return bits.match(/.{1,5}/g).map(five => letters[parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function digest(label, bytes) {
    const kind = label.split(":")[0];
    const sum = crypto.createHash(kind).update(bytes).digest();
    return `${kind}:${kind === "sha1" ? base32(sum) : sum.toString("hex")}`;
}

const files = process.argv.slice(2);
const faults = [];
let records = 0;
for (const file of files) {
    const parser = new WARCParser(fs.createReadStream(file),
        { keepHeadersCase: true, parseHttp: false });
    for await (const record of parser) {
        const block = Buffer.from(await record.readFully(false));
        const what = `${file}: ${record.warcType} ${record.warcTargetURI}`;
        records++;
        if (block.length !== record.warcContentLength)
            faults.push(`${what}: ${block.length} bytes, not ${record.warcContentLength}`);
        if (!record.warcBlockDigest || digest(record.warcBlockDigest, block) !== record.warcBlockDigest)
            faults.push(`${what}: digest of the block`);
        if (record.warcType !== "response")
            continue;
        const body = block.subarray(block.indexOf("\r\n\r\n") + 4);
        if (!record.warcPayloadDigest || digest(record.warcPayloadDigest, body) !== record.warcPayloadDigest)
            faults.push(`${what}: digest of the payload`);
    }
}
verdict(records, faults);
