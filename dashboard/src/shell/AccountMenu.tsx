import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answer, api } from '../api/client.ts'
import { paths } from '../paths.ts'
import { useMe } from '../session/me.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'

export function AccountMenu() {
  const { user } = useMe()
  const texts = useTexts('account').nav
  const name = user.displayName ?? user.email
  const signOut = useMutation({
    mutationFn: () => answer(api.POST('/api/auth/logout')),
    onSettled: () => {
      tellTabs({ kind: 'signed-out' })
      location.assign(paths.login)
    },
  })
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: '50%' }}>
          <Avatar aria-hidden src={user.avatarUrl} name={name} alt="" color="pine" size={36} />
          <VisuallyHidden>{texts.menu(name)}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {name}
          </Text>
          <Text size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to={paths.account} leftSection={<Icon name="user" size={16} />}>
          {texts.profile}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => signOut.mutate()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
