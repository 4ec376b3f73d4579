import { Button, CopyButton as Copy } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

/** The label names what is copied, for pages with several of these buttons. */
export function CopyButton({ value, label }: { value: string; label?: string }) {
  const texts = useTexts('shared')
  return (
    <Copy value={value} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          aria-label={label ? `${texts.copy}: ${label}` : undefined}
          onClick={copy}
        >
          <span aria-live="polite">{copied ? texts.copied : texts.copy}</span>
        </Button>
      )}
    </Copy>
  )
}
