import json


def handle(message_id, event):
    print(json.dumps({'id': message_id, 'type': event['type']}), flush=True)
