import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { copyText } from '../lib/copy-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

const SHOWN_MS = 2000

/** The label names what is copied, for pages with several of these buttons. */
export function CopyButton({ value, label }: { value: string; label?: string }) {
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
