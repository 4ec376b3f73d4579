import type { LookupAddress } from 'node:dns'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Finds the addresses of a name in a file such as /etc/hosts (hosts(5)), which is read again when it has changed. */
export function createHostsFile(path: string): (name: string) => Promise<LookupAddress[]> {
  let read = { version: '', addresses: new Map<string, LookupAddress[]>() }
  return async (name) => {
    try {
      const { mtimeMs, size, ino } = await stat(path)
      const version = `${mtimeMs} ${size} ${ino}`
      if (version !== read.version) read = { version, addresses: parseHosts(await readFile(path, 'utf8')) }
      return read.addresses.get(name) ?? []
    } catch {
      // Not every machine has one.
      return []
    }
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const addresses = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) addresses.set(name, [...(addresses.get(name) ?? []), { address, family }])
  }
  return addresses
}
