import { ActionIcon, Badge, Box, Checkbox, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Permission, Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import classes from './RoleMatrix.module.css'

/** One of the catalogue, or one that a role holds and the catalogue does not know. */
type PermissionRow = Omit<Permission, 'id'> & { id: string }

type Props = {
  roles: Role[]
  permissions: PermissionRow[]
  mayWrite: boolean
  onEdit: (role: Role) => void
  onDelete: (role: Role) => void
}
type Change = { role: Role; permissionId: string; give: boolean }

export function RoleMatrix({ roles, permissions, mayWrite, onEdit, onDelete }: Props) {
  const texts = useTexts('admin').roles
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ role: { id }, permissionId, give }: Change): Promise<unknown> =>
      give
        ? answer(api.POST('/api/admin/roles/{id}/permissions', { params: { path: { id } }, body: { permissionId } }))
        : answer(
            api.DELETE('/api/admin/roles/{id}/permissions/{permissionId}', { params: { path: { id, permissionId } } }),
          ),
    // Not optimistic: a tick that shows means that the permission is given.
    onSettled: () => client.invalidateQueries({ queryKey: rolesQuery.queryKey }),
  })
  const isChanging = (role: Role, id: string) =>
    change.isPending && change.variables.role.id === role.id && change.variables.permissionId === id

  return (
    <>
      {change.error && (
        <Box p="md">
          <FailureAlert failure={change.error} />
        </Box>
      )}
      <Table.ScrollContainer minWidth={176 + roles.length * 120} type="native" tabIndex={0} aria-label={texts.title}>
        <Table highlightOnHover layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.sticky}>{texts.permission}</Table.Th>
              {roles.map((role) => (
                <Table.Th key={role.id} className={classes.role}>
                  <RoleHeading role={role} mayWrite={mayWrite} onEdit={onEdit} onDelete={onDelete} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {permissions.map((permission) => (
              <Table.Tr key={permission.id}>
                <Table.Th scope="row" className={classes.sticky}>
                  <Text size="sm" ff="monospace" fw={500}>
                    {permission.name}
                  </Text>
                  <Text size="xs" c="dimmed" fw={400}>
                    {permission.description}
                  </Text>
                </Table.Th>
                {roles.map((role) => (
                  <Table.Td key={role.id}>
                    <Checkbox
                      className={classes.tick}
                      aria-label={texts.gives(role.name, permission.name)}
                      checked={role.permissions.includes(permission.id)}
                      disabled={!mayWrite || role.name === 'admin' || isChanging(role, permission.id)}
                      onChange={(event) =>
                        change.mutate({ role, permissionId: permission.id, give: event.currentTarget.checked })
                      }
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

type HeadingProps = Pick<Props, 'mayWrite' | 'onEdit' | 'onDelete'> & { role: Role }

function RoleHeading({ role, mayWrite, onEdit, onDelete }: HeadingProps) {
  const texts = useTexts('admin').roles
  return (
    <Stack gap={4} align="center">
      <Text fw={600} size="sm">
        {role.name}
      </Text>
      {role.builtIn ? (
        <Badge size="xs" variant="default">
          {texts.builtIn}
        </Badge>
      ) : (
        mayWrite && (
          <Group gap={2} wrap="nowrap">
            <ActionIcon size="sm" variant="subtle" aria-label={texts.editTitle(role.name)} onClick={() => onEdit(role)}>
              <Icon name="pencil" size={14} />
            </ActionIcon>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="red"
              aria-label={texts.deleteTitle(role.name)}
              onClick={() => onDelete(role)}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          </Group>
        )
      )}
    </Stack>
  )
}
