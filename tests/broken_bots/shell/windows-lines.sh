#!/bin/sh
exec sh bot.sh windows-lines
