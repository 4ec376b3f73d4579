import { AppShell, Box, Burger, Container, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { appearance } from '../lib/appearance.ts'
import { NotificationBell } from '../notifications/NotificationBell.tsx'
import { PaletteButton } from '../palette/PaletteButton.tsx'
import { paths } from '../paths.ts'
import { useMay } from '../session/me.ts'
import { SessionDialogs } from '../session/SessionDialogs.tsx'
import { usePasskeySignals } from '../session/use-passkey-signals.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ColorSchemeMenu, LanguageMenu } from '../ui/DisplayMenus.tsx'
import { Logo } from '../ui/Logo.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { Navigation } from './Navigation.tsx'
import { NoPermissionPage } from './other-pages.tsx'
import { UnsavedChangesDialog } from './UnsavedChangesDialog.tsx'
import classes from './Shell.module.css'

export function Shell() {
  const texts = useTexts('account').nav
  const [opened, drawer] = useDisclosure(false)
  const may = useMay()
  usePasskeySignals()
  const missing = useMatches()
    .at(-1)
    ?.staticData.permissions?.find((permission) => !may(permission))

  return (
    <AppShell
      // Otherwise the navigation slides in at every page load, not only when somebody opens it.
      transitionDuration={0}
      header={{ height: 60 }}
      navbar={{ width: 256, breakpoint: 'md', collapsed: { mobile: !opened } }}
      classNames={{ header: classes.header ?? '', navbar: classes.navbar ?? '', main: classes.main ?? '' }}
    >
      <AppShell.Header>
        <a href="#content" className={classes.skip}>
          {texts.skip}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={drawer.toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={opened ? texts.close : texts.open}
              aria-expanded={opened}
            />
            <Link to={paths.home} aria-label={appearance().name} style={{ color: 'inherit', textDecoration: 'none' }}>
              <Logo size={26} />
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <NotificationBell />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" data-opened={opened} aria-label={texts.label}>
        <AppShell.Section grow component={ScrollArea} type="auto" scrollbarSize={6}>
          <Navigation onNavigate={drawer.close} />
        </AppShell.Section>
        <AppShell.Section>
          <Group gap="xs" px="sm" justify="space-between">
            <LanguageMenu />
            <ColorSchemeMenu />
          </Group>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Container size={1080} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 32 }}>
          <Box>{missing ? <NoPermissionPage permission={missing} /> : <Outlet />}</Box>
        </Container>
      </AppShell.Main>
      <UnsavedChangesDialog />
      <SessionDialogs />
    </AppShell>
  )
}
