import { Alert, Checkbox, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../api/shapes.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { administering, groupPermissions } from './permission-groups.ts'
import { useSudoText } from './use-sudo-text.ts'

export type ChosenRole = { role: Role | undefined; isConfirmed: boolean }

/** Whether whoever gives these roles confirms what they bring. */
export const needConfirmation = (roles: readonly Role[]): boolean =>
  roles.some(({ permissions, ssh }) => administering(permissions).length > 0 || givesSudo(ssh))

const givesSudo = (ssh: Role['ssh']): boolean => (ssh?.sudo ?? 'none') !== 'none'

/** Nothing is chosen beforehand: whoever clicks twice must not give away anything. */
export const NO_ROLE: ChosenRole = { role: undefined, isConfirmed: false }

export const isRoleConfirmed = ({ role, isConfirmed }: ChosenRole): boolean =>
  role !== undefined && (isConfirmed || !needConfirmation([role]))

type Props = { value: ChosenRole; except?: readonly string[]; onChange: (value: ChosenRole) => void }

/** One role to give. A role with which people administer, or become root, is confirmed with what it brings. */
export function RoleToGive({ value, except = [], onChange }: Props) {
  const texts = useTexts('people').roles
  const query = useQuery(rolesQuery)
  const others = (query.data?.roles ?? []).filter(({ id, name }) => name !== 'user' && !except.includes(id))
  if (query.data && others.length === 0) return <Text size="sm">{texts.none}</Text>
  return (
    <>
      <Select
        label={texts.choose}
        placeholder={texts.placeholder}
        size="md"
        searchable
        allowDeselect={false}
        // An open list would put a role under the pointer of whoever clicks twice.
        openOnFocus={false}
        data-autofocus
        data={others.map(({ id, name }) => ({ value: id, label: name }))}
        value={value.role?.id ?? null}
        onChange={(id) => onChange({ role: others.find((role) => role.id === id), isConfirmed: false })}
      />
      {value.role && (
        <Text size="sm" c="dimmed">
          {(value.role.builtIn && findText(texts.builtIn, value.role.name)) || value.role.description}
        </Text>
      )}
      <ConfirmRoles
        roles={value.role ? [value.role] : []}
        checked={value.isConfirmed}
        onChange={(isConfirmed) => onChange({ ...value, isConfirmed })}
      />
    </>
  )
}

type ConfirmRolesProps = { roles: readonly Role[]; checked: boolean; onChange: (checked: boolean) => void }

/** What these roles let their holders administer or run as root, to be confirmed. Nothing, when that is nothing. */
export function ConfirmRoles({ roles, checked, onChange }: ConfirmRolesProps) {
  const texts = useTexts('people').roles
  if (!needConfirmation(roles)) return null
  const brought = [...new Set(roles.flatMap(({ permissions }) => administering(permissions)))]
  return (
    <Alert role="note" color="brass" variant="light" icon={<Icon name="shield" />}>
      <Stack gap="md">
        {brought.length > 0 && (
          <div>
            <Text size="sm" fw={600} mb="xs">
              {texts.brings}
            </Text>
            <PermissionList permissions={brought} />
          </div>
        )}
        <SudoOfRoles roles={roles} />
        <Checkbox label={texts.confirm} checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      </Stack>
    </Alert>
  )
}

/** A line for each role that gives sudo. */
export function SudoOfRoles({ roles }: { roles: readonly Role[] }) {
  const texts = useTexts('people').roles
  const sudo = useSudoText()
  return roles
    .filter(({ ssh }) => givesSudo(ssh))
    .map(({ id, name, ssh }) => (
      <Text key={id} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {texts.bringsSudo(name, sudo(ssh).join(', '))}
      </Text>
    ))
}

/** Permissions in words, by what they are about. */
export function PermissionList({ permissions }: { permissions: readonly string[] }) {
  const texts = useTexts('people').permissions
  return (
    <Stack gap="sm">
      {groupPermissions(permissions.map((id) => ({ id }))).map(({ group, items }) => (
        <div key={group}>
          <Text size="sm" fw={600}>
            {texts.groups[group]}
          </Text>
          <List size="sm">
            {items.map(({ id }) => (
              <List.Item key={id}>{findText(texts.names, id) ?? id}</List.Item>
            ))}
          </List>
        </div>
      ))}
    </Stack>
  )
}
