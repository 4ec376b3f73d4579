import { Anchor, Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { appearance } from '../lib/appearance.ts'
import { paths } from '../paths.ts'
import { ColorSchemeMenu, LanguageMenu } from '../ui/DisplayMenus.tsx'
import { Logo } from '../ui/Logo.tsx'
import classes from './PublicFrame.module.css'

export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <Box className={classes.ground}>
      <header className={classes.header}>
        <Anchor href={paths.home} underline="never" c="inherit" aria-label={appearance().name}>
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

export function PublicHeading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${appearance().name}`
  }, [title])
  return (
    <Stack gap={6}>
      <Title>{title}</Title>
      {children && (
        <Text c="dimmed" size="sm">
          {children}
        </Text>
      )}
    </Stack>
  )
}
