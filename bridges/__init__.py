"""What carries the feed to other systems: to an MQTT broker (`bridges.mqtt`) and to web servers (`bridges.webhooks`).

Each follows one service with the subscriber library, like a scoreboard. It sends what the public feed has, and takes no
command from anybody.
"""
