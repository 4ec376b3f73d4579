import { Box, Button, Group, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'
import classes from './CodeBlock.module.css'

type Props = { label: string; value: string; actions?: ReactNode; wrap?: boolean }

export function CodeBlock({ label, value, actions, wrap = false }: Props) {
  return (
    <Box className={classes.block}>
      <Group justify="space-between" gap="xs" className={classes.head}>
        <Text size="xs" fw={600} c="dimmed">
          {label}
        </Text>
        <Group gap="xs">
          {actions}
          <CopyButton value={value} label={label} />
        </Group>
      </Group>
      {/* A scrolling region has to be reachable by keyboard (WCAG 2.1.1). */}
      <pre className={classes.code} data-wrap={wrap || undefined} tabIndex={wrap ? undefined : 0} aria-label={label}>
        {value}
      </pre>
    </Box>
  )
}

const SHOWN_MS = 2000

/** The label names what is copied, for pages with several of these buttons. */
function CopyButton({ value, label }: { value: string; label?: string }) {
  const texts = useTexts('shared')
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={14} />}
      aria-label={label ? `${texts.copy}: ${label}` : undefined}
      onClick={() => void copyText(value).then(setIsCopied)}
    >
      <span aria-live="polite">{isCopied ? texts.copied : texts.copy}</span>
    </Button>
  )
}

/** Puts a text on the clipboard, in answer to a click. False if the browser did not let it. */
async function copyText(text: string): Promise<boolean> {
  // Browsers have this interface only on pages of https and of this computer; the older one works everywhere.
  if (!('clipboard' in navigator)) return copyByCommand(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyByCommand(text),
  )
}

function copyByCommand(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', give)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', give)
  return isCopied
}
