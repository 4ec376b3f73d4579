import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { refuse, atField } from '../../errors.ts'
import { strict } from '../../platform/http/contracts.ts'
import { AttributeName, type AttributeValue } from './attributes.ts'
import { roleErrors } from './role-errors.ts'

const MAX_EXTENSIONS = 4
const MAX_VALUE_LENGTH = 256

/** Extensions of programs other than OpenSSH, which ignores them: PROTOCOL.certkeys has such names end in the domain of who defines them. */
export const CustomExtensions = Type.Array(
  Type.Object(
    {
      name: Type.String({
        maxLength: 128,
        pattern: String.raw`^(?!.*@openssh\.com$)[a-z0-9-]+@[a-z0-9.-]+$`,
        description: 'Such as `login@git.example.com`; none of `openssh.com`.',
      }),
      value: Type.Union([
        Type.String({
          minLength: 1,
          maxLength: MAX_VALUE_LENGTH,
          pattern: '^[ -~]+$',
          description: 'Printable ASCII.',
        }),
        Type.Object({ attribute: AttributeName }, { ...strict, description: 'An attribute of the person.' }),
      ]),
    },
    { ...strict, title: 'SshCustomExtension' },
  ),
  {
    maxItems: MAX_EXTENSIONS,
    description:
      'Further extensions of certificates with the principals of this role. One whose attribute the person does not have is left out.',
  },
)
export type CustomExtension = Type.Static<typeof CustomExtensions>[number]

export function checkCustomExtensions(extensions: CustomExtension[]): CustomExtension[] {
  if (new Set(extensions.map(({ name }) => name)).size < extensions.length)
    refuse(atField('ssh.customExtensions', roleErrors.custom_extension_twice()))
  return extensions.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export const isSameExtension = (a: CustomExtension, b: CustomExtension): boolean =>
  a.name === b.name && isDeepStrictEqual(a.value, b.value)

/** What a certificate says for somebody with such attributes; undefined when it leaves the extension out. */
export function valueOf(
  { value }: CustomExtension,
  attributeOf: (name: string) => AttributeValue | undefined,
): string | undefined {
  if (typeof value === 'string') return value
  const held = attributeOf(value.attribute)
  if (held === undefined || Array.isArray(held)) return undefined
  const text = String(held)
  return text.length <= MAX_VALUE_LENGTH && /^[ -~]+$/.test(text) ? text : undefined
}
