import { Button, CloseButton, Stack, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { forgetAccount, rememberedAccounts, type RememberedAccount } from '../session/remembered-accounts.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { AccountLine } from './AccountLine.tsx'
import classes from './AccountChooser.module.css'

type Props = { onChosen: (account: RememberedAccount | undefined) => void }

/** The accounts that this browser remembers. Each can be removed, and another account can be used. */
export function AccountChooser({ onChosen }: Props) {
  const texts = useTexts('publicPages').login
  const [accounts, setAccounts] = useState(rememberedAccounts)
  function forget(id: string) {
    const left = forgetAccount(id)
    setAccounts(left)
    if (left.length === 0) onChosen(undefined)
  }
  return (
    <Stack>
      <ul className={classes.list} aria-label={texts.accounts}>
        {accounts.map((account) => (
          <li key={account.id} className={classes.item}>
            <UnstyledButton className={classes.choose} onClick={() => onChosen(account)}>
              <AccountLine {...account} />
            </UnstyledButton>
            <CloseButton mx="xs" aria-label={texts.forgetAccount(account.email)} onClick={() => forget(account.id)} />
          </li>
        ))}
      </ul>
      <Button size="md" variant="default" fullWidth onClick={() => onChosen(undefined)}>
        {texts.otherAccount}
      </Button>
    </Stack>
  )
}
