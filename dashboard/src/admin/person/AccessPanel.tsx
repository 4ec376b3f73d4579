import { Badge, Button, Group, Pill, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User, UserDetails } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/FormDialog.tsx'
import { ApplicationLink } from '../../ui/links.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { isRoleConfirmed, NO_ROLE, PermissionList, RoleToGive, SudoOfRoles } from '../roles/RoleToGive.tsx'
import { rolesQuery, userAppsQuery } from '../users/user-queries.ts'

/** What this person may do, and why. */
export function AccessPanel({ details: { user, permissions } }: { details: UserDetails }) {
  const may = useMay()
  return (
    <>
      {may('roles:read') && <UserRolesSection user={user} />}
      <PermissionsSection permissions={permissions} />
      <UsableAppsSection user={user} />
    </>
  )
}

function UserRolesSection({ user }: { user: User }) {
  const texts = useTexts('people').roles
  const client = useQueryClient()
  const mayAssign = useMay()('roles:assign')
  const [isGiving, setIsGiving] = useState(false)
  const [taking, setTaking] = useState<User['roles'][number]>()
  const reload = () => client.invalidateQueries({ queryKey: ['admin'] })
  const shown = user.roles.filter(({ name }) => name !== 'user')
  const roles = useQuery(rolesQuery)
  const held = roles.data?.roles.filter((role) => user.roles.some(({ id }) => id === role.id)) ?? []

  return (
    <Section
      title={texts.title}
      description={texts.description}
      actions={
        mayAssign && (
          <Button size="sm" variant="default" onClick={() => setIsGiving(true)}>
            {texts.give}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Group gap="xs">
          {shown.map((role) => (
            <Pill
              key={role.id}
              size="lg"
              withRemoveButton={mayAssign}
              removeButtonProps={{ 'aria-label': texts.take(role.name), 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => setTaking(role)}
            >
              {role.name}
            </Pill>
          ))}
          {shown.length === 0 && (
            <Text size="sm" c="dimmed">
              {texts.onlyUser}
            </Text>
          )}
        </Group>
        <SudoOfRoles roles={held} />
      </Stack>
      {isGiving && <GiveRoleDialog user={user} onClose={() => setIsGiving(false)} onDone={reload} />}
      {taking && (
        <ConfirmDialog
          title={texts.takeTitle(taking.name)}
          confirm={texts.takeSubmit}
          onClose={() => setTaking(undefined)}
          action={async () => {
            const params = { path: { userId: user.id, roleId: taking.id } }
            await answer(api.DELETE('/api/admin/users/{userId}/roles/{roleId}', { params }))
            await reload()
          }}
        >
          {texts.takeText}
        </ConfirmDialog>
      )}
    </Section>
  )
}

type GiveRoleDialogProps = { user: User; onClose: () => void; onDone: () => Promise<unknown> }

function GiveRoleDialog({ user, onClose, onDone }: GiveRoleDialogProps) {
  const texts = useTexts('people').roles
  const form = useSubmitForm({
    initialValues: { roleId: NO_ROLE },
    async submit({ roleId: { role } }) {
      if (!role) return
      const params = { path: { userId: user.id } }
      await answer(api.POST('/api/admin/users/{userId}/roles', { params, body: { roleId: role.id } }))
      await onDone()
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={texts.giveTitle(user.displayName ?? user.email)}
      form={form}
      submit={texts.submit}
      disabled={!isRoleConfirmed(form.values.roleId)}
      onClose={onClose}
    >
      <RoleToGive
        except={user.roles.map(({ id }) => id)}
        value={form.values.roleId}
        onChange={(chosen) => form.setFieldValue('roleId', chosen)}
      />
    </FormDialog>
  )
}

function PermissionsSection({ permissions }: { permissions: string[] }) {
  const texts = useTexts('people').permissions
  return (
    <Section title={texts.title} description={texts.description}>
      {permissions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : (
        <PermissionList permissions={permissions} />
      )}
    </Section>
  )
}

/** Which applications are open to this person, and why. */
function UsableAppsSection({ user }: { user: User }) {
  const texts = useTexts('people').apps
  const query = useQuery(userAppsQuery(user.id))
  return (
    <Section title={texts.title} description={texts.description} flush>
      <QueryView
        query={query}
        isEmpty={({ apps }) => apps.length === 0}
        empty={
          <EmptyState icon="apps" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ apps }) => (
          <Rows label={texts.title}>
            {apps.map((app) => (
              <Row
                key={app.client_id}
                lead={<ApplicationLogo name={app.name} logoUrl={app.logoUrl} />}
                title={<ApplicationLink id={app.client_id}>{app.name}</ApplicationLink>}
                badge={
                  app.authorized && (
                    <Badge size="sm" variant="light">
                      {texts.authorized}
                    </Badge>
                  )
                }
                meta={app.everybody ? texts.everybody : texts.because(app.roles.map(({ name }) => name).join(', '))}
              />
            ))}
          </Rows>
        )}
      </QueryView>
    </Section>
  )
}
