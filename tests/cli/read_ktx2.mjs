// Usage: node read_ktx2.mjs KTX_PARSE_MODULE FILE...
// Prints what ktx-parse reads of each file as a line of JSON; texels as one hex string a level.
import fs from 'node:fs';
import {pathToFileURL} from 'node:url';

const [module, ...paths] = process.argv.slice(2);
const {read} = await import(pathToFileURL(module).href);

for (const path of paths) {
    const {levels, ...rest} = read(new Uint8Array(fs.readFileSync(path)));
    const texels = levels.map((level) => Buffer.from(level.levelData).toString('hex'));
    const plainBytes = levels.map((level) => level.uncompressedByteLength);
    console.log(JSON.stringify({...rest, texels, plainBytes}));
}
