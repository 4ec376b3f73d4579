import { Alert, Checkbox, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../api/shapes.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { administering, groupPermissions } from './permission-groups.ts'

export type ChosenRole = { role: Role | undefined; isConfirmed: boolean }

/** Nothing is chosen beforehand: whoever clicks twice must not give away anything. */
export const NO_ROLE: ChosenRole = { role: undefined, isConfirmed: false }

export const isRoleConfirmed = ({ role, isConfirmed }: ChosenRole): boolean =>
  role !== undefined && (isConfirmed || administering(role.permissions).length === 0)

type Props = { value: ChosenRole; except?: readonly string[]; onChange: (value: ChosenRole) => void }

/** One role to give. A role with which people administer is confirmed with what it brings. */
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
      <ConfirmAdministering
        roles={value.role ? [value.role] : []}
        checked={value.isConfirmed}
        onChange={(isConfirmed) => onChange({ ...value, isConfirmed })}
      />
    </>
  )
}

type ConfirmAdministeringProps = { roles: readonly Role[]; checked: boolean; onChange: (checked: boolean) => void }

/** What these roles let their holders administer, to be confirmed. Nothing, when they let them administer nothing. */
export function ConfirmAdministering({ roles, checked, onChange }: ConfirmAdministeringProps) {
  const texts = useTexts('people').roles
  const brought = [...new Set(roles.flatMap(({ permissions }) => administering(permissions)))]
  if (brought.length === 0) return null
  return (
    <Alert role="note" color="brass" variant="light" icon={<Icon name="shield" />}>
      <Text size="sm" fw={600} mb="xs">
        {texts.brings}
      </Text>
      <PermissionList permissions={brought} />
      <Checkbox
        mt="md"
        label={texts.confirm}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Alert>
  )
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
