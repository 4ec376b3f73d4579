import { attributeOf, inOrderOfNames, type Attributes } from '../../identity/roles/attributes.ts'
import { type CustomExtension, valueOf } from '../../identity/roles/custom-extensions.ts'
import type { PrincipalGroup } from '../../identity/roles/principal-groups.ts'
import { sshErrors } from '../ssh-errors.ts'

/** Where the attributes of a person come from. */
export interface AttributeSource {
  own: Attributes
  roles: readonly { name: string; attributes: Attributes }[]
}

/** What certificates say of a person in extensions that roles define: by name. */
export type CertifiedValues = Readonly<Record<string, string>>

const NO_ATTRIBUTES: AttributeSource = { own: {}, roles: [] }

export const needsAttributes = ({ customExtensions }: Pick<PrincipalGroup, 'customExtensions'>): boolean =>
  customExtensions.some(({ value }) => typeof value !== 'string')

/** Refused where roles say different things: nobody knows which one a program should believe. */
export function certifyValues(
  { customExtensions }: Pick<PrincipalGroup, 'customExtensions'>,
  source = NO_ATTRIBUTES,
): CertifiedValues {
  const read = valuesFor(source)
  const found = customExtensions.flatMap(({ role, ...extension }) => {
    const value = read(extension)
    return value === undefined ? [] : [{ name: extension.name, value, role }]
  })
  for (const [name, said] of Map.groupBy(found, (each) => each.name)) {
    const roles = [...new Set(said.map(({ role }) => role))].join(', ')
    if (new Set(said.map(({ value }) => value)).size > 1) throw sshErrors.extension_values_differ({ name, roles })
  }
  return Object.fromEntries(found.map(({ name, value }) => [name, value]))
}

/** Whether a certificate of this group could still have these values. */
export function givesValues(
  { customExtensions }: Pick<PrincipalGroup, 'customExtensions'>,
  source: AttributeSource,
  values: CertifiedValues,
): boolean {
  const read = valuesFor(source)
  return Object.entries(values).every(([name, value]) =>
    customExtensions.some((each) => each.name === name && read(each) === value),
  )
}

function valuesFor({ own, roles }: AttributeSource): (extension: CustomExtension) => string | undefined {
  const ordered = inOrderOfNames(roles)
  return (extension) => valueOf(extension, (name) => attributeOf(name, ordered, own))
}
