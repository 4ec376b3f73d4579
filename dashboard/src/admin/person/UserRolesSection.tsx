import { Button, Group, Pill, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { GiveRoleDialog } from './GiveRoleDialog.tsx'

export function UserRolesSection({ user }: { user: User }) {
  const texts = useTexts('people').roles
  const client = useQueryClient()
  const mayAssign = useMay()('roles:assign')
  const [isGiving, setIsGiving] = useState(false)
  const [taking, setTaking] = useState<User['roles'][number]>()
  const reload = () => client.invalidateQueries({ queryKey: ['admin'] })
  const shown = user.roles.filter(({ name }) => name !== 'user')

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
