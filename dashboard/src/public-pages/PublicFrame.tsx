import { Anchor, Box, Group, Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { look } from '../lib/look.ts'
import { paths } from '../paths.ts'
import { ColorSchemeMenu } from '../ui/ColorSchemeMenu.tsx'
import { LanguageMenu } from '../ui/LanguageMenu.tsx'
import { Logo } from '../ui/Logo.tsx'
import classes from './PublicFrame.module.css'

export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <Box className={classes.ground}>
      <header className={classes.header}>
        <Anchor href={paths.home} underline="never" c="inherit" aria-label={look().name}>
          <Logo />
        </Anchor>
      </header>
      <main className={classes.main}>
        <Paper className={classes.card} withBorder>
          {children}
        </Paper>
      </main>
      <footer className={classes.footer}>
        <Group gap="lg" justify="center">
          <LanguageMenu />
          <ColorSchemeMenu />
        </Group>
      </footer>
    </Box>
  )
}
