// Takes one file out of a zip archive; all that is needed of unzip, which a
// minimal Debian does not have.
import {inflateRawSync} from 'node:zlib';

const END = 0x06054b50, ENTRY = 0x02014b50;  // signatures of records

// The bytes of `name`. Throws where the archive has no such file.
export function unzipFile(archive, name) {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== END) --end;
  if (end < 0) throw new Error('not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let i = archive.readUInt16LE(end + 10); i > 0; --i) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('damaged archive');
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      return contentOf(archive, at);
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) +
        archive.readUInt16LE(at + 32);
  }
  throw new Error(`no ${name} in the archive`);
}

function contentOf(archive, entry) {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  const begin = local + 30 + archive.readUInt16LE(local + 26) +
      archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(begin, begin + size);
  if (method === 0) return bytes;
  if (method === 8) return inflateRawSync(bytes);
  throw new Error(`compression method ${method}`);
}
