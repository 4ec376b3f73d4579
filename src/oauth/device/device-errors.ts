import { defineErrors } from '../../errors.ts'

/** What the person who decides about a device is told. */
export const deviceErrors = defineErrors({
  device_needs_step_up: [
    'step_up_needed',
    'This application demands a stronger or a more recent sign-in. Confirm that it is you.',
  ],
  no_such_waiting_device: ['not_found', 'No device waits with this code. Check it, or start again on the device.'],
})

/** What a device is told. */
export const deviceRequestErrors = defineErrors({
  too_many_devices: ['unavailable', 'Too many devices are signing in at the moment. Try again shortly.'],
  too_many_devices_of_network: [
    'too_many_requests',
    'Too many devices have asked from your network. Try again in a minute.',
  ],
})
