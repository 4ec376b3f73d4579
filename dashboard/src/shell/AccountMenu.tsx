import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { useMe } from '../session/me.ts'
import { isShownByShell } from '../session/session-state.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PersonAvatar } from '../ui/PersonAvatar.tsx'

export function AccountMenu() {
  const { user } = useMe()
  const texts = useTexts('account').nav
  const name = user.displayName ?? user.email
  const leave = () => {
    tellTabs({ kind: 'signed-out' })
    location.assign(paths.login)
  }
  const signOut = useSubmit(() => answer(api.POST('/api/auth/logout')), {
    onSuccess: leave,
    onFailure(error) {
      if (isStatus(error, 401)) leave()
      // The session lives on: nobody must believe that they are signed out. That page tries again, and shows a failure.
      else if (!isShownByShell(error)) location.assign(paths.logout)
    },
  })
  return (
    <Menu position="bottom-end" width={260} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: '50%' }}>
          <PersonAvatar avatarUrl={user.avatarUrl} name={name} size={36} />
          <VisuallyHidden>{texts.menu(name)}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {/* A menu has items only: the person is the one that leads to the profile. */}
        <Menu.Item component={Link} to={paths.account} leftSection={<Icon name="user" size={16} />}>
          <Text component="span" display="block" size="sm" fw={600} truncate>
            {name}
          </Text>
          {name !== user.email && (
            <Text component="span" display="block" size="xs" truncate>
              {user.email}
            </Text>
          )}
          <VisuallyHidden>{texts.profile}</VisuallyHidden>
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => signOut.run()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
