import ipaddr from 'ipaddr.js'
import { Type } from 'typebox'
import { refuse, atField } from '../../errors.ts'
import { MAX_CERTIFICATE_SECONDS } from '../../platform/config/variables.ts'
import { strict } from '../../platform/http/contracts.ts'
import { checkCustomExtensions, CustomExtensions, isSameExtension, type CustomExtension } from './custom-extensions.ts'
import { roleErrors } from './role-errors.ts'
import { isSudoWithin, Sudo } from './sudo.ts'

/** The extensions that OpenSSH knows for users (PROTOCOL.certkeys). */
export const EXTENSIONS = [
  'permit-X11-forwarding',
  'permit-agent-forwarding',
  'permit-port-forwarding',
  'permit-pty',
  'permit-user-rc',
] as const
export type Extension = (typeof EXTENSIONS)[number]

/** What an ordinary login needs, where no rule says otherwise. */
const DEFAULT_EXTENSIONS: readonly Extension[] = ['permit-agent-forwarding', 'permit-port-forwarding', 'permit-pty']

const MAX_ADDRESSES = 32
const MAX_COMMAND_LENGTH = 1000

const limits = {
  maxTtlSeconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: MAX_CERTIFICATE_SECONDS, description: 'The longest lifetime.' }),
  ),
  sourceAddresses: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: MAX_ADDRESSES,
      description: 'CIDR ranges without host bits, from which logins are accepted.',
    }),
  ),
  forceCommand: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_COMMAND_LENGTH, description: 'Runs in place of any other command.' }),
  ),
  extensions: Type.Optional(
    Type.Array(Type.Enum([...EXTENSIONS]), {
      uniqueItems: true,
      description: 'Absent: agent and port forwarding, and a terminal.',
    }),
  ),
  verifyRequired: Type.Optional(
    Type.Boolean({ description: 'Only security keys that check their owner, with a PIN for example.' }),
  ),
}
const SshLimits = Type.Object(limits)
/** What certificates are limited to. */
export type SshRules = Type.Static<typeof SshLimits>

/** What a role says about SSH: the limits of certificates, and what else it gives beside principals. */
export const RoleSsh = Type.Object(
  { ...limits, sudo: Type.Optional(Sudo), customExtensions: Type.Optional(CustomExtensions) },
  {
    ...strict,
    title: 'SshRules',
    description:
      'What SSH certificates with the principals of this role are limited to, and what else the role gives over SSH.',
  },
)
export type RoleSsh = Type.Static<typeof RoleSsh>

/** What a role gives over SSH beside principals. */
export interface SshGifts {
  sudo: Sudo
  customExtensions: CustomExtension[]
}

export const giftsOf = (ssh: Partial<SshGifts> | null): SshGifts => ({
  sudo: ssh?.sudo ?? 'none',
  customExtensions: ssh?.customExtensions ?? [],
})

/** Whether the one gives everything that the other gives. */
export const givesAtLeast = (more: SshGifts, less: SshGifts): boolean =>
  isSudoWithin(less.sudo, more.sudo) &&
  less.customExtensions.every((each) => more.customExtensions.some((other) => isSameExtension(each, other)))

/** The rules as they are stored: checked, each list in order, and null when they limit nothing and give nothing. */
export function checkSshRules(rules: RoleSsh | null): RoleSsh | null {
  if (rules === null) return null
  const { maxTtlSeconds, sourceAddresses, forceCommand, extensions, verifyRequired } = rules
  const { sudo, customExtensions } = giftsOf(rules)
  const checked: RoleSsh = {
    ...(maxTtlSeconds === undefined ? {} : { maxTtlSeconds }),
    ...(sourceAddresses ? { sourceAddresses: checkAddresses(sourceAddresses) } : {}),
    ...(forceCommand === undefined ? {} : { forceCommand: checkCommand(forceCommand) }),
    ...(extensions ? { extensions: extensions.toSorted() } : {}),
    ...(verifyRequired ? { verifyRequired } : {}),
    ...(sudo === 'none' ? {} : { sudo: Array.isArray(sudo) ? sudo.toSorted() : sudo }),
    ...(customExtensions.length > 0 ? { customExtensions: checkCustomExtensions(customExtensions) } : {}),
  }
  return Object.keys(checked).length === 0 ? null : checked
}

/** sshd refuses a login when it can't read the list, and takes a range with host bits for a mistake. */
function checkAddresses(addresses: string[]): string[] {
  const ranges = addresses.map((text) => {
    if (!ipaddr.isValidCIDR(text) || !/^[0-9a-fA-F:.]+\/\d{1,3}$/.test(text)) {
      return refuse(atField('ssh.sourceAddresses', roleErrors.range_malformed({ range: text })))
    }
    const [address, bits] = ipaddr.parseCIDR(text)
    if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()) {
      return refuse(atField('ssh.sourceAddresses', roleErrors.range_is_ipv4_as_ipv6({ range: text })))
    }
    const first = (address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(text)
    if (first.toString() !== address.toString()) {
      return refuse(
        atField(
          'ssh.sourceAddresses',
          roleErrors.range_has_bits_after_prefix({ range: text, network: first.toString(), prefix: bits }),
        ),
      )
    }
    return `${address.toString()}/${bits}`
  })
  return [...new Set(ranges)].toSorted()
}

function checkCommand(command: string): string {
  if (!command.isWellFormed() || /\p{Cc}/u.test(command) || command.trim() === '') {
    refuse(atField('ssh.forceCommand', roleErrors.force_command_not_one_line()))
  }
  return command
}

export const readSshRules = (text: string | null): SshRules | null =>
  text === null ? null : (JSON.parse(text) as SshRules)

/** Null when they limit nothing. */
const writeSshRules = (rules: SshRules | null): string | null => writeObject(rules ?? {})

export const readGifts = (text: string | null): SshGifts =>
  giftsOf(text === null ? null : (JSON.parse(text) as Partial<SshGifts>))

const writeObject = (value: object): string | null => (Object.keys(value).length === 0 ? null : JSON.stringify(value))

/** The columns of a role. Limits and gifts are apart, so that a role without limits is known by its empty column. */
interface SshColumns {
  ssh: string | null
  ssh_gifts: string | null
}

export function readRoleSsh({ ssh, ssh_gifts: gifts }: SshColumns): RoleSsh | null {
  if (ssh === null && gifts === null) return null
  return { ...readSshRules(ssh), ...(gifts === null ? {} : (JSON.parse(gifts) as Partial<SshGifts>)) }
}

export function writeRoleSsh(rules: RoleSsh | null): SshColumns {
  const { sudo, customExtensions, ...limited } = rules ?? {}
  const gifts = { ...(sudo ? { sudo } : {}), ...(customExtensions ? { customExtensions } : {}) }
  return { ssh: writeSshRules(limited), ssh_gifts: writeObject(gifts) }
}

/** The limits alone; null without any. */
export const limitsOf = (rules: RoleSsh | null): SshRules | null => readSshRules(writeRoleSsh(rules).ssh)

export const extensionsOf = (rules: SshRules | null): readonly Extension[] => rules?.extensions ?? DEFAULT_EXTENSIONS

/** Whether everything that the one rules allow, the other rules allow as well. */
export function isAtLeastAsLoose(loose: SshRules | null, tight: SshRules | null): boolean {
  return (
    (loose?.maxTtlSeconds ?? Infinity) >= (tight?.maxTtlSeconds ?? Infinity) &&
    new Set(extensionsOf(tight)).isSubsetOf(new Set(extensionsOf(loose))) &&
    (loose?.forceCommand === undefined || loose.forceCommand === tight?.forceCommand) &&
    (loose?.verifyRequired !== true || tight?.verifyRequired === true) &&
    (loose?.sourceAddresses === undefined ||
      (tight?.sourceAddresses !== undefined && isWithin(readRanges(tight), readRanges(loose))))
  )
}

const readRanges = ({ sourceAddresses = [] }: SshRules): AddressRange[] => sourceAddresses.map(readRange)

/** The critical options of a certificate under these rules (PROTOCOL.certkeys). */
export function criticalOptionsOf(rules: SshRules | null): Map<string, string> {
  const options = new Map<string, string>()
  if (rules?.forceCommand !== undefined) options.set('force-command', rules.forceCommand)
  if (rules?.sourceAddresses) options.set('source-address', rules.sourceAddresses.join(','))
  if (rules?.verifyRequired) options.set('verify-required', '')
  return options
}

/** Equal for rules with the same critical options. Addresses are compared as sets, however the ranges are written. */
export function optionsKey(rules: SshRules | null): string {
  const ranges = rules?.sourceAddresses && joinRanges(readRanges(rules))
  const addresses = ranges?.map(({ family, first, last }) => `${family} ${first}-${last}`)
  return JSON.stringify([rules?.forceCommand, addresses, rules?.verifyRequired === true])
}

/** All addresses from the first to the last, of one family. */
export interface AddressRange {
  family: 'ipv4' | 'ipv6'
  first: bigint
  last: bigint
}

/** Reads a CIDR range that was checked before. */
function readRange(cidr: string): AddressRange {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  const bytes = address.toByteArray()
  const first = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return { family: address.kind(), first, last: first + (1n << BigInt(bytes.length * 8 - bits)) - 1n }
}

/** Whether every address of the inner ranges is in one of the outer ranges. Ranges that touch count as one. */
function isWithin(inner: AddressRange[], outer: AddressRange[]): boolean {
  const joined = joinRanges(outer)
  return inner.every((range) =>
    joined.some(({ family, first, last }) => family === range.family && first <= range.first && range.last <= last),
  )
}

/** The same addresses in as few ranges as possible, in order. */
function joinRanges(ranges: AddressRange[]): AddressRange[] {
  const joined: AddressRange[] = []
  for (const range of ranges.toSorted((a, b) => compare(a.family, b.family) || compare(a.first, b.first))) {
    const before = joined.at(-1)
    if (before?.family === range.family && range.first <= before.last + 1n) {
      before.last = range.last > before.last ? range.last : before.last
    } else joined.push({ ...range })
  }
  return joined
}

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
