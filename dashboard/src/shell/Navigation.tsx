import { Box, NavLink, Text, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'
import { useMay } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { visibleNavigation } from './pages.ts'
import classes from './Shell.module.css'

type Props = Omit<ComponentPropsWithRef<'a'>, keyof NavLinkProps> & NavLinkProps
const NavigationLink = createLink((props: Props) => <NavLink component="a" {...props} />)

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const texts = useTexts('account').nav
  const may = useMay()
  return visibleNavigation(may).map((group) => (
    <Box key={group.label} mb="md">
      <Text size="xs" fw={600} c="dimmed" px="sm" mb={4} id={`nav-${group.label}`}>
        {texts[group.label]}
      </Text>
      <ul className={classes.links} aria-labelledby={`nav-${group.label}`}>
        {group.items.map(({ to, icon, label, exact = false }) => (
          <li key={to}>
            <NavigationLink
              to={to}
              activeOptions={{ exact, includeSearch: false }}
              className={classes.link ?? ''}
              label={texts[label]}
              leftSection={<Icon name={icon} />}
              onClick={onNavigate}
            />
          </li>
        ))}
      </ul>
    </Box>
  ))
}
