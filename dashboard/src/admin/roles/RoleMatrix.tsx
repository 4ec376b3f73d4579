import { ActionIcon, Badge, Box, Checkbox, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Permission, Role } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { groupPermissions } from './permission-groups.ts'
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
  const [failure, setFailure] = useState<unknown>()
  const reload = () => client.invalidateQueries({ queryKey: rolesQuery.queryKey })
  const wordsOf = (id: string) => findText(names, id) ?? id

  return (
    <>
      {failure !== undefined && (
        <Box p="md">
          <FailureAlert failure={failure} />
        </Box>
      )}
      <Table.ScrollContainer
        className={classes.scrolling ?? ''}
        minWidth={320 + roles.length * 120}
        type="native"
        tabIndex={0}
        aria-label={texts.title}
      >
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
                        <PermissionTick
                          role={role}
                          permission={permission}
                          mayWrite={mayWrite}
                          send={send}
                          reload={reload}
                          onAsk={setAsking}
                          onFailure={setFailure}
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
            await reload()
          }}
        >
          {(asking.give ? texts.everybodyGive : texts.everybodyTake)(wordsOf(asking.permissionId))}
        </ConfirmDialog>
      )}
    </>
  )
}

type PermissionTickProps = {
  role: Role
  permission: PermissionRow
  mayWrite: boolean
  send: (change: Change) => Promise<unknown>
  reload: () => Promise<unknown>
  onAsk: (change: Change) => void
  onFailure: (failure: unknown) => void
}

/** Not optimistic: a tick that shows means that the permission is given. */
function PermissionTick({ role, permission, mayWrite, send, reload, onAsk, onFailure }: PermissionTickProps) {
  const texts = useTexts('admin').roles
  const change = useSubmit(send, { reload, onFailure })
  function start(wanted: Change) {
    // Everybody has the role user.
    if (role.name === 'user') return onAsk(wanted)
    onFailure(undefined)
    change.run(wanted)
  }
  return (
    <Checkbox
      className={classes.tick}
      aria-label={texts.gives(role.name, permission.name)}
      checked={role.permissions.includes(permission.id)}
      disabled={!mayWrite || role.name === 'admin' || change.busy}
      onChange={(event) => start({ role, permissionId: permission.id, give: event.currentTarget.checked })}
    />
  )
}

type RoleHeadingProps = { role: Role; mayWrite: boolean; onEdit: (role: Role) => void; onDelete: (role: Role) => void }

/** The name of a role, who has it, and what can be done with it. A built-in role keeps its name and stays. */
function RoleHeading({ role, mayWrite, onEdit, onDelete }: RoleHeadingProps) {
  const texts = useTexts('admin').roles
  const may = useMay()
  return (
    <Stack gap={4} align="center">
      <Text fw={600} size="sm" ta="center" style={{ overflowWrap: 'anywhere' }}>
        {role.name}
      </Text>
      {may('users:read') && <Holders role={role} />}
      {role.builtIn && (
        <Badge size="xs" variant="default">
          {texts.builtIn}
        </Badge>
      )}
      {mayWrite && (
        <Group gap={2} wrap="nowrap">
          <ActionIcon size="sm" variant="subtle" aria-label={texts.editTitle(role.name)} onClick={() => onEdit(role)}>
            <Icon name="pencil" size={14} />
          </ActionIcon>
          {!role.builtIn && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="red"
              aria-label={texts.deleteTitle(role.name)}
              onClick={() => onDelete(role)}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          )}
        </Group>
      )}
    </Stack>
  )
}

/** How many have the role, as a link to them. */
function Holders({ role }: { role: Role }) {
  const texts = useTexts('admin').roles
  const format = useFormat()
  const { data } = useQuery({
    queryKey: ['admin', 'users', 'holders', role.id],
    queryFn: () => answer(api.GET('/api/admin/users', { params: { query: { role: role.id, limit: 1 } } })),
    staleTime: 60_000,
  })
  if (!data || typeof data === 'string') return null
  const count = `${format.number(data.total)}${data.totalIsMore ? '+' : ''}`
  return (
    <TextLink to={paths.adminUsers} search={{ role: role.id }} size="xs" underline="always">
      {data.total === 1 ? texts.oneHolder : texts.holders(count)}
    </TextLink>
  )
}
