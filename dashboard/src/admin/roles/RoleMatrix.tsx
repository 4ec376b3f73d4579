import { Box, Checkbox, Table, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Permission, Role } from '../../api/shapes.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { groupPermissions } from './permission-groups.ts'
import { RoleHeading } from './RoleHeading.tsx'
import { RoleSummaryRows } from './RoleSummaryRows.tsx'
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
  const { groups, names } = useTexts('people').permissions
  const client = useQueryClient()
  const [asking, setAsking] = useState<Change>()
  const send = ({ role: { id }, permissionId, give }: Change): Promise<unknown> =>
    give
      ? answer(api.POST('/api/admin/roles/{id}/permissions', { params: { path: { id } }, body: { permissionId } }))
      : answer(
          api.DELETE('/api/admin/roles/{id}/permissions/{permissionId}', { params: { path: { id, permissionId } } }),
        )
  const change = useMutation({
    mutationFn: send,
    // Not optimistic: a tick that shows means that the permission is given.
    onSettled: () => client.invalidateQueries({ queryKey: rolesQuery.queryKey }),
  })
  const isChanging = (role: Role, id: string) =>
    change.isPending && change.variables.role.id === role.id && change.variables.permissionId === id
  // Everybody has the role user.
  const ask = (wanted: Change) => (wanted.role.name === 'user' ? setAsking(wanted) : change.mutate(wanted))
  const wordsOf = (id: string) => findText(names, id) ?? id

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
            {groupPermissions(permissions).map(({ group, items }) => (
              <Fragment key={group}>
                <Table.Tr className={classes.group ?? ''}>
                  <Table.Th scope="rowgroup" colSpan={roles.length + 1}>
                    {groups[group]}
                  </Table.Th>
                </Table.Tr>
                {items.map((permission) => (
                  <Table.Tr key={permission.id}>
                    <Table.Th scope="row" className={classes.sticky}>
                      <Text size="sm" fw={500}>
                        {wordsOf(permission.id)}
                      </Text>
                      <Text size="xs" c="dimmed" fw={400} ff="monospace">
                        {permission.id}
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
                            ask({ role, permissionId: permission.id, give: event.currentTarget.checked })
                          }
                        />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Fragment>
            ))}
            <RoleSummaryRows roles={roles} />
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {asking && (
        <ConfirmDialog
          title={texts.everybodyTitle}
          confirm={texts.everybodyConfirm}
          onClose={() => setAsking(undefined)}
          action={async () => {
            await send(asking)
            await client.invalidateQueries({ queryKey: rolesQuery.queryKey })
          }}
        >
          {(asking.give ? texts.everybodyGive : texts.everybodyTake)(wordsOf(asking.permissionId))}
        </ConfirmDialog>
      )}
    </>
  )
}
