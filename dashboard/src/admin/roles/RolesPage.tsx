import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { RoleDialog } from './RoleDialog.tsx'
import { RoleMatrix } from './RoleMatrix.tsx'

const permissionsQuery = queryOptions({
  queryKey: ['admin', 'permissions'],
  queryFn: () => answer(api.GET('/api/admin/permissions')),
  staleTime: Infinity,
})

type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'delete'; role: Role }

export function RolesPage() {
  const texts = useTexts('admin').roles
  const client = useQueryClient()
  const may = useMay()
  const roles = useQuery(rolesQuery)
  const permissions = useQuery({ ...permissionsQuery, enabled: may('permissions:read') })
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const reload = () => client.invalidateQueries({ queryKey: rolesQuery.queryKey })
  const mayWrite = may('roles:write')

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          mayWrite && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'create' })}>
              {texts.create}
            </Button>
          )
        }
      />
      <Section flush>
        <QueryView query={roles}>
          {(found) => (
            <RoleMatrix
              roles={found.roles}
              // Without the catalogue, what the roles hold is all there is to show.
              permissions={
                permissions.data?.permissions ??
                [...new Set(found.roles.flatMap((role) => role.permissions))].map((id) => ({
                  id,
                  name: id,
                  description: '',
                }))
              }
              mayWrite={mayWrite}
              onEdit={(role) => setDialog({ kind: 'edit', role })}
              onDelete={(role) => setDialog({ kind: 'delete', role })}
            />
          )}
        </QueryView>
      </Section>
      {dialog?.kind === 'create' && <RoleDialog onClose={close} onDone={reload} />}
      {dialog?.kind === 'edit' && <RoleDialog role={dialog.role} onClose={close} onDone={reload} />}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteTitle(dialog.role.name)}
          confirm={texts.delete}
          onClose={close}
          action={async () => {
            await answer(api.DELETE('/api/admin/roles/{id}', { params: { path: { id: dialog.role.id } } }))
            await reload()
          }}
        >
          {texts.deleteText}
        </ConfirmDialog>
      )}
    </>
  )
}
