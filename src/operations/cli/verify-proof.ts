import { readFileSync } from 'node:fs'
import { StartError } from '../../errors.ts'
import {
  type CheckedProof,
  checkProofs,
  type GivenProof,
  type ProofKeys,
  ProofRefused,
} from '../../identity/receipts/check-proofs.ts'
import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments, UsageError } from './usage.ts'
import { say } from './with-services.ts'

const USAGE = `Usage: latchkey verify-proof <file>... --jwks <url or file>

Checks proofs that accounts were disabled and that everybody who relied on them was told: their signatures, and that they are an
unbroken part of one chain, in whichever order they are given. Needs neither the service nor its settings. A file holds a proof, or
several, one on a line, or the answer of the service as JSON. --jwks is the document of proof keys, as a file or as its address:
/.well-known/latchkey-proof-keys.json of the service. Keep a copy of it with the proofs.

The exit code is 0 when all proofs are good, and 1 when one is refused. A proof that is not complete is good too: it says that a
receiver refused to be told, or could not be.

A proof says what receivers reported to the service. It proves nothing against those who hold the service's keys.

Example:
  latchkey verify-proof proof-*.jws --jwks https://id.example.com/.well-known/latchkey-proof-keys.json`

export async function run(args: string[], _source: SettingsSource): Promise<void> {
  const { words, values } = readArguments(args, USAGE, { words: [1, Number.POSITIVE_INFINITY], values: ['jwks'] })
  if (values.jwks === undefined)
    throw new UsageError('--jwks needs the document of proof keys: its address, or a file.')
  const given = words.flatMap(readProofs)
  const keys = readKeys(await readDocument(values.jwks), values.jwks)
  try {
    printChecked(checkProofs(given, keys))
  } catch (error) {
    if (error instanceof ProofRefused) throw new StartError(printable(error.message))
    throw error
  }
}

/** What a file says comes from somebody else, and must not move the cursor of a terminal. */
const printable = (text: string): string => text.replaceAll(/[^\P{C}\n]/gu, '?')

function printChecked(proofs: CheckedProof[]): void {
  for (const { number, person, completedAt, complete, seconds, told, restoredFrom } of proofs) {
    if (restoredFrom !== undefined) say('     (a backup was restored here)')
    const when = new Date(completedAt ?? 0).toISOString()
    const left = told
      .filter(({ state }) => state !== 'acknowledged')
      .map(({ kind, name, state }) => `${kind} ${name}: ${state}`)
    const what = complete ? `nothing left after ${seconds} s, ${told.length} told` : `not complete: ${left.join(', ')}`
    say(printable(`${String(number).padStart(4)}  ${when}  ${person.email} (${person.id})  ${what}`))
  }
  const [first, last] = [proofs[0], proofs.at(-1)]
  const numbers = proofs.length === 1 ? `number ${first?.number}` : `numbers ${first?.number} to ${last?.number}`
  say(printable(`${proofs.length} of ${first?.iss}: ${numbers}, signed and without a gap.`))
}

function readProofs(file: string): GivenProof[] {
  const text = readText(file).trim()
  const lines = text.startsWith('{') ? [readAnswer(text, file)] : text.split(/\s+/)
  return lines.map((line, at) => ({ name: lines.length === 1 ? file : `${file}, line ${at + 1}`, text: line }))
}

function readAnswer(text: string, file: string): string {
  const { proof } = parse(text, file)
  if (typeof proof !== 'string') throw new StartError(`${file} has no proof.`)
  return proof
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${file} can't be read: ${(error as Error).message}.`)
  }
}

/** The members of an object; none of anything else. */
const parse = (text: string, source: string): Record<string, unknown> => {
  try {
    return { ...(JSON.parse(text) as Record<string, unknown> | null) }
  } catch {
    throw new StartError(`${source} is no JSON.`)
  }
}

function readKeys(text: string, source: string): ProofKeys {
  const { issuer, keys } = parse(text, source)
  if (!Array.isArray(keys)) throw new StartError(`${source} is no set of keys.`)
  return { ...(typeof issuer === 'string' && { issuer }), keys: keys as ProofKeys['keys'] }
}

const MAX_WAIT_MS = 10_000
const MAX_BYTES = 1024 * 1024

/** Whoever could change the keys on their way could make proofs, so that an address has to be encrypted or of this machine. */
async function readDocument(source: string): Promise<string> {
  const url = /^https?:\/\//i.test(source) && URL.parse(source)
  if (!url) return readText(source)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !isHere) throw new UsageError('--jwks needs an address with https.')
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(MAX_WAIT_MS) })
    if (answer.status !== 200) throw new Error(`the answer was ${answer.status}`)
    const parts: Uint8Array[] = []
    for await (const part of answer.body ?? []) {
      parts.push(part)
      if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_BYTES) throw new Error('the answer is too large')
    }
    return Buffer.concat(parts).toString()
  } catch (error) {
    throw new StartError(`The keys could not be fetched from ${url.href}: ${reasonOf(error)}.`)
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
