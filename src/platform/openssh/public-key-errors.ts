import { defineErrors } from '../../errors.ts'

/** What is wrong with a public key that somebody sends, and what to send instead. */
export const publicKeyErrors = defineErrors({
  public_key_comment_unsafe: ['invalid_input', 'The comment of the key has control characters in it.'],
  public_key_has_options: ['invalid_input', 'Nothing may stand before ssh-ed25519: options are not accepted.'],
  public_key_is_certificate: ['invalid_input', 'This is a certificate. Send the public key that it was made for.'],
  public_key_is_private: [
    'invalid_input',
    'This is a private key. Keep it to yourself and send the public key, from the file ending in .pub.',
  ],
  public_key_malformed: [
    'invalid_input',
    'The line must read: ssh-ed25519, one space, the key in base64, and a comment if you like.',
  ],
  public_key_mislabeled: ['invalid_input', 'The key is of another type than {type}, whatever its label says.'],
  public_key_not_base64: [
    'invalid_input',
    'The key is not in clean base64. The line must read: ssh-ed25519, one space, the key in base64, and a comment if you like.',
  ],
  public_key_not_for_ssh: [
    'invalid_input',
    'The security key was not made for SSH: its application must begin with ssh:.',
  ],
  public_key_not_one_line: ['invalid_input', 'Send one public key on one line.'],
  public_key_too_long: ['invalid_input', 'The key has bytes left over after its end.'],
  public_key_too_short: ['invalid_input', 'The key ends too early.'],
  public_key_type: [
    'invalid_input',
    'Keys of type {type} are not accepted, only ssh-ed25519 and, in a security key, sk-ssh-ed25519@openssh.com.',
  ],
  public_key_wrong_length: ['invalid_input', 'An {type} key has {expected} bytes; this one has {found}.'],
})
