import type { Role } from '../../api/shapes.ts'
import { ATTRIBUTE_NAME } from '../../lib/typed-value.ts'
import type { Texts } from '../../texts/load-texts.ts'

type RoleSsh = NonNullable<Role['ssh']>
type Extension = NonNullable<RoleSsh['extensions']>[number]
type CustomExtension = NonNullable<RoleSsh['customExtensions']>[number]

export const EXTENSIONS: Extension[] = [
  'permit-pty',
  'permit-port-forwarding',
  'permit-agent-forwarding',
  'permit-X11-forwarding',
  'permit-user-rc',
]
const DEFAULT: Extension[] = ['permit-pty', 'permit-port-forwarding', 'permit-agent-forwarding']

export const SUDO_KINDS = ['none', 'commands', 'all'] as const
export type SudoKind = (typeof SUDO_KINDS)[number]

export const EXTENSION_SOURCES = ['attribute', 'text'] as const

/** An extension as the form has it: the value is a text, or the name of an attribute. */
export type ExtensionRow = { name: string; source: (typeof EXTENSION_SOURCES)[number]; value: string }

export const NO_EXTENSION: ExtensionRow = { name: '', source: 'attribute', value: '' }
export const MAX_EXTENSIONS = 4
const MAX_COMMANDS = 32

/** What a role says about SSH, as the form has it. Its fields have the paths that the server names. */
export type SshDraft = {
  maxMinutes: number | string
  sourceAddresses: string
  forceCommand: string
  extensions: Extension[]
  verifyRequired: boolean
  sudoKind: SudoKind
  /** One command a line. */
  sudo: string
  customExtensions: ExtensionRow[]
}

export function sshDraft(rules: Role['ssh'] | undefined): SshDraft {
  const { sudo = 'none' } = rules ?? {}
  return {
    maxMinutes: rules?.maxTtlSeconds === undefined ? '' : rules.maxTtlSeconds / 60,
    sourceAddresses: rules?.sourceAddresses?.join(', ') ?? '',
    forceCommand: rules?.forceCommand ?? '',
    extensions: rules?.extensions ?? DEFAULT,
    verifyRequired: rules?.verifyRequired ?? false,
    sudoKind: Array.isArray(sudo) ? 'commands' : sudo,
    sudo: Array.isArray(sudo) ? sudo.join('\n') : '',
    customExtensions: (rules?.customExtensions ?? []).map(({ name, value }) =>
      typeof value === 'string'
        ? { name, source: 'text', value }
        : { name, source: 'attribute', value: value.attribute },
    ),
  }
}

/** Null when nothing is limited and nothing is given. */
export function sshOf(draft: SshDraft): RoleSsh | null {
  const sudo = sudoOf(draft)
  const rules: RoleSsh = {
    ...limitsOf(draft),
    ...(sudo === 'none' ? {} : { sudo }),
    ...(draft.customExtensions.length === 0 ? {} : { customExtensions: draft.customExtensions.map(extensionOf) }),
  }
  return Object.keys(rules).length === 0 ? null : rules
}

/**
 * What is sent for a role: the server takes all of it at once, so what was not changed here stays as it is now. Otherwise sudo that
 * somebody has just taken away would be given back by whoever changes something else.
 */
export function mergeSsh(before: Role['ssh'], after: Role['ssh'], now: Role['ssh']): Role['ssh'] {
  const [was, is] = [sshOf(sshDraft(before)) ?? {}, after ?? {}]
  const parts = ALL_PARTS.flatMap((part) => {
    const value = JSON.stringify(was[part]) === JSON.stringify(is[part]) ? now?.[part] : is[part]
    return value === undefined ? [] : [[part, value]]
  })
  return parts.length === 0 ? null : (Object.fromEntries(parts) as RoleSsh)
}

const ALL_PARTS = [
  'maxTtlSeconds',
  'sourceAddresses',
  'forceCommand',
  'extensions',
  'verifyRequired',
  'sudo',
  'customExtensions',
] as const satisfies (keyof RoleSsh)[]

function limitsOf(draft: SshDraft): RoleSsh {
  const addresses = draft.sourceAddresses.split(/[\s,]+/).filter(Boolean)
  const isUsual = DEFAULT.toSorted().join() === draft.extensions.toSorted().join()
  return {
    ...(typeof draft.maxMinutes === 'string' ? {} : { maxTtlSeconds: Math.round(draft.maxMinutes * 60) }),
    ...(addresses.length > 0 ? { sourceAddresses: addresses } : {}),
    ...(draft.forceCommand.trim() === '' ? {} : { forceCommand: draft.forceCommand.trim() }),
    ...(isUsual ? {} : { extensions: EXTENSIONS.filter((each) => draft.extensions.includes(each)) }),
    ...(draft.verifyRequired ? { verifyRequired: true } : {}),
  }
}

export const isLimited = (draft: SshDraft): boolean => Object.keys(limitsOf(draft)).length > 0

export const commandsOf = ({ sudo }: Pick<SshDraft, 'sudo'>): string[] =>
  sudo
    .split('\n')
    .map((line) => line.trim().replace(/\s+\*$/, ' *'))
    .filter(Boolean)

const sudoOf = (draft: SshDraft): NonNullable<RoleSsh['sudo']> =>
  draft.sudoKind === 'commands' ? commandsOf(draft) : draft.sudoKind

const extensionOf = ({ name, source, value }: ExtensionRow): CustomExtension => ({
  name: name.trim(),
  value: source === 'text' ? value.trim() : { attribute: value.trim() },
})

const COMMAND = /^(?!.*\.\.)(\/[A-Za-z0-9._+-]+)+( \*)?$/
const EXTENSION_NAME = /^(?!.*@openssh\.com$)[a-z0-9-]+@[a-z0-9.-]+$/
const EXTENSION_VALUE = /^[ -~]{1,256}$/

/** What is wrong with the fields of `ssh` in a form. */
export function sshErrors(draft: SshDraft, texts: Texts['admin']['roles']['ssh']): Record<string, string> {
  const sudo = draft.sudoKind === 'commands' ? sudoError(commandsOf(draft), texts.sudo) : undefined
  return { ...(sudo === undefined ? {} : { 'ssh.sudo': sudo }), ...extensionErrors(draft.customExtensions, texts.git) }
}

function sudoError(commands: string[], texts: Texts['admin']['roles']['ssh']['sudo']): string | undefined {
  const wrong = commands.find((command) => !COMMAND.test(command))
  if (wrong !== undefined) return texts.badCommand(wrong)
  const twice = commands.find((command, at) => commands.indexOf(command) < at)
  if (twice !== undefined) return texts.twice(twice)
  if (commands.length > MAX_COMMANDS) return texts.tooMany(MAX_COMMANDS)
  return commands.length === 0 ? texts.noCommand : undefined
}

function extensionErrors(
  rows: readonly ExtensionRow[],
  texts: Texts['admin']['roles']['ssh']['git'],
): Record<string, string> {
  const names = rows.map(({ name }) => name.trim())
  return Object.fromEntries(
    rows.flatMap(({ source, value }, at) => {
      const name = names[at] ?? ''
      const path = `ssh.customExtensions.${at}`
      const isValue = (source === 'text' ? EXTENSION_VALUE : ATTRIBUTE_NAME).test(value.trim())
      const found: [string, string][] = []
      if (!EXTENSION_NAME.test(name)) found.push([`${path}.name`, texts.badName])
      else if (names.indexOf(name) < at) found.push([`${path}.name`, texts.twice])
      if (!isValue) found.push([`${path}.value`, source === 'text' ? texts.badText : texts.badAttribute])
      return found
    }),
  )
}
